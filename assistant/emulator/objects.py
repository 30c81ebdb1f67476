"""Objects of single units, kept by what they are made of: of a program of several units, an edit has only its own compiled again.

Example::

    kept = KeptObjects(Path("/cache/objects"))
    key = object_key(("12.2.0", "-O2"), Path("/scratch/unit0"))
    kept.take(key, Path("/scratch/0.o")) or compile_it()
"""

from __future__ import annotations

import contextlib
import hashlib
import shutil
from collections.abc import Iterable
from pathlib import Path

from assistant.disk.cached import note_use
from assistant.emulator.toolchain import publish, staging

__all__ = ["KeptObjects", "object_key"]

_OBJECT = "unit.o"


def object_key(setting: Iterable[str], texts: Path) -> str:
    """``setting``: compiler and flags. ``texts``: the folder that holds what the unit is compiled from, and nothing else."""
    digest = hashlib.sha256()
    for word in setting:
        digest.update(word.encode("utf-8", "surrogateescape") + b"\0")
    for path in sorted(texts.iterdir()):
        digest.update(b"\0" + path.name.encode() + b"\0" + hashlib.sha256(path.read_bytes()).digest())
    return digest.hexdigest()[:32]


class KeptObjects:
    """A folder of objects, each in a folder of its own; any of them may go at any time."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def take(self, key: str, target: Path) -> bool:
        """Copies an object; False where it is not there."""
        with contextlib.suppress(OSError):
            shutil.copyfile(self._folder / key / _OBJECT, target)
            note_use(self._folder / key)
            return True
        return False

    def keep(self, key: str, made: Path) -> None:
        """Raises OSError where the folder cannot be written."""
        with staging(self._folder) as folder:
            shutil.copyfile(made, folder / _OBJECT)
            publish(folder, self._folder / key)
