"""Which of several programs a person chose for a file; kept in the workspace's ``.kernelopt`` folder, which version control leaves out.

A choice only picks among programs that are found anyway: it gives no trust to run any. Example::

    choose_program(Path("/p/scale.cuh"), Path("/p"), "bench.cu")
    chosen_program(Path("/p/scale.cuh"), Path("/p"), ("bench.cu", "test.cu"))     # 'bench.cu'
"""

from __future__ import annotations

import json
import os
from collections.abc import Collection
from pathlib import Path
from typing import cast

from filelock import FileLock, Timeout

from assistant.config.paths import workspace_folder
from assistant.disk.texts import read_bytes
from assistant.disk.whole import write_whole
from assistant.errors import CannotAnswerError

__all__ = ["choose_program", "chosen_program"]

_NAME = "programs.json"
_MOST_BYTES = 1 << 20
_LOCK_TIMEOUT_S = 10.0
"""The lock is held for one small write."""


def chosen_program(file: Path, workspace: Path, found: Collection[str]) -> str | None:
    """The name of the program: chosen for the file, else the one of its programs (``found``) that was chosen for other files.

    None where none was, or several were. Raises CannotAnswerError where the choices cannot be read.
    """
    choices = _choices(workspace / ".kernelopt" / _NAME)
    of_others = set(choices.values()).intersection(found)
    return choices.get(_key(file, workspace)) or (of_others.pop() if len(of_others) == 1 else None)


def choose_program(file: Path, workspace: Path, name: str | None) -> None:
    """Keeps the choice for a file; None takes it back. Raises CannotAnswerError where it cannot be written."""
    try:
        path = workspace_folder(workspace) / _NAME
        with FileLock(f"{path}.lock", timeout=_LOCK_TIMEOUT_S):
            choices = _choices(path)
            choices.pop(_key(file, workspace), None)
            if name is not None:
                choices[_key(file, workspace)] = name
            _write(path, choices)
    except (OSError, Timeout) as error:
        raise CannotAnswerError(f"the choice cannot be kept in {workspace / '.kernelopt'}: {error}", "make that folder writable") from error


def _key(file: Path, workspace: Path) -> str:
    return os.path.relpath(os.path.realpath(file), os.path.realpath(workspace))


def _choices(path: Path) -> dict[str, str]:
    remedy = "delete it, and choose again with: kernelopt program FILE --use NAME"
    try:
        values: object = json.loads(read_bytes(path, _MOST_BYTES))
    except FileNotFoundError:
        return {}
    except OSError as error:
        raise CannotAnswerError(f"{path} cannot be read: {error.strerror}", remedy) from error
    except (ValueError, RecursionError) as error:
        raise CannotAnswerError(f"{path} is damaged", remedy) from error
    if not isinstance(values, dict) or not all(isinstance(name, str) for name in cast("dict[str, object]", values).values()):
        raise CannotAnswerError(f"{path} is damaged", remedy)
    return cast("dict[str, str]", values)


def _write(path: Path, choices: dict[str, str]) -> None:
    write_whole(path, json.dumps(choices, indent=1, sort_keys=True), mode=0o600)
