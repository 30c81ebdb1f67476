"""A suite's folder for one task alone: its searches write there, and the user's files stay as they are.

Example::

    with private_copy(Path("/suite")) as folder: ...
"""

from __future__ import annotations

import hashlib
import shutil
from collections.abc import Generator, Iterable
from contextlib import contextmanager
from pathlib import Path

from assistant.bench.journal import ROWS_NAME
from assistant.disk.temporary import OwnFolder
from assistant.errors import CannotAnswerError

__all__ = ["private_copy", "sources_sha256"]

_MOST_LETTERS = 200
"""Letters of the system's reasons, which may name every file."""
_TEXTS = frozenset({".cu", ".cuh", ".h", ".hpp", ".hh", ".hxx", ".inl", ".c", ".cc", ".cpp", ".cxx", ".toml"})


@contextmanager
def private_copy(folder: Path) -> Generator[Path]:
    """A workspace of its own with everything but hidden files and results, links followed; it goes with the block, and after a kill with
    the next one that is made. Raises CannotAnswerError where it cannot be made."""
    with OwnFolder("bench") as scratch:
        copy = scratch / folder.name
        try:
            shutil.copytree(folder, copy, ignore=_left_out, ignore_dangling_symlinks=True)
        except OSError as error:
            raise CannotAnswerError(f"no private copy of {folder} can be made: {str(error)[:_MOST_LETTERS]}") from error
        (copy / ".git").mkdir(exist_ok=True)  # ends the workspace here
        yield copy


def sources_sha256(folder: Path) -> str:
    """Hash over every source and header below the folder, with their names."""
    digest = hashlib.sha256()
    for path in _texts(folder):
        digest.update(f"{path.relative_to(folder).as_posix()}\0".encode("utf-8", "surrogateescape"))
        digest.update(hashlib.sha256(path.read_bytes()).digest())
    return digest.hexdigest()


def _texts(folder: Path) -> Iterable[Path]:
    seen = (path for path in folder.rglob("*") if not any(part.startswith(".") for part in path.relative_to(folder).parts))
    return sorted(path for path in seen if path.suffix in _TEXTS and path.is_file())


def _left_out(folder: str, names: list[str]) -> set[str]:
    """Hidden ones, and results of earlier runs."""
    return {name for name in names if name.startswith(".") or (Path(folder) / name / ROWS_NAME).exists()}
