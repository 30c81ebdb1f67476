"""A suite's folder for one task alone: its searches write there, and the user's files stay as they are.

Example::

    with private_copy(Path("/suite")) as folder: ...
"""

from __future__ import annotations

import hashlib
import os
import shutil
from collections.abc import Generator, Iterable
from contextlib import contextmanager
from pathlib import Path

from assistant.disk.temporary import OwnFolder

__all__ = ["private_copy", "sources_sha256"]

_COPIED_BYTES = 8 << 20
"""Larger files are data and are linked to: nothing that is edited is as large."""
_TEXTS = frozenset({".cu", ".cuh", ".h", ".hpp", ".hh", ".hxx", ".inl", ".c", ".cc", ".cpp", ".cxx", ".toml"})


@contextmanager
def private_copy(folder: Path) -> Generator[Path]:
    """A copy without hidden files, a workspace of its own; it goes with the block, and after a kill with the next one that is made."""
    with OwnFolder("bench") as scratch:
        copy = scratch / folder.name
        shutil.copytree(folder, copy, symlinks=True, ignore=_hidden, copy_function=_copied)
        (copy / ".git").mkdir(exist_ok=True)  # ends the workspace here
        yield copy


def sources_sha256(folder: Path) -> str:
    """Of every source and header below the folder, with their names."""
    digest = hashlib.sha256()
    for path in _texts(folder):
        digest.update(f"{path.relative_to(folder).as_posix()}\0".encode("utf-8", "surrogateescape"))
        digest.update(hashlib.sha256(path.read_bytes()).digest())
    return digest.hexdigest()


def _texts(folder: Path) -> Iterable[Path]:
    seen = (path for path in folder.rglob("*") if not any(part.startswith(".") for part in path.relative_to(folder).parts))
    return sorted(path for path in seen if path.suffix in _TEXTS and path.is_file())


def _hidden(folder: str, names: list[str]) -> set[str]:
    del folder
    return {name for name in names if name.startswith(".")}


def _copied(source: str, copy: str) -> str:
    if os.stat(source).st_size > _COPIED_BYTES:  # noqa: PTH116 - shutil hands over words
        os.symlink(os.path.realpath(source), copy)  # noqa: PTH211
        return copy
    return str(shutil.copy2(source, copy))
