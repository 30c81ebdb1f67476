"""The private folder of a job, and what to say when the system does not let us use a file."""

from __future__ import annotations

import tempfile
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

from assistant.build.full_disk import FULL_ERRORS, REMEDY, full_in_words
from assistant.disk.temporary import OwnFolder
from assistant.errors import CannotAnswerError

__all__ = ["scratch_folder", "unusable"]


@contextmanager
def scratch_folder() -> Generator[Path]:
    """A folder that ends with the block, whatever is in it; raises CannotAnswerError where none can be made."""
    try:
        folder = OwnFolder()
    except OSError as error:
        raise unusable(error) from error
    with folder as path:
        yield path


def unusable(error: OSError) -> CannotAnswerError:
    """The error that people see for a full disk, a read-only folder and the like."""
    if error.errno in FULL_ERRORS:
        return CannotAnswerError(full_in_words(error.errno, Path(error.filename or tempfile.gettempdir())), REMEDY)
    place = "a file" if error.filename is None else str(error.filename)
    return CannotAnswerError(f"{place} cannot be used: {error.strerror}", "check the disk's free space and the folder's permissions")
