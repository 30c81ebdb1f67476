"""Compile results and machine code on disk, by content hash. A cache that cannot be read or written is an empty one."""

from __future__ import annotations

import hashlib
from dataclasses import replace
from pathlib import Path

from assistant.device.protocol import CompileReply
from assistant.disk.cached import note_use
from assistant.disk.whole import write_whole
from assistant.serialize import DecodeError, dumps, loads

__all__ = ["load", "store", "store_cubin"]


def load(directory: Path, key: str) -> CompileReply | None:
    """What was kept; its machine code is named as it lies in ``directory`` now, which may have been moved, or had another path then."""
    entry = _entry(directory, key)
    try:
        kept = loads(CompileReply, entry.read_bytes())
    except (OSError, DecodeError):
        return None
    note_use(entry)
    return kept if kept.cubin is None else replace(kept, cubin=str(_cubins(directory) / Path(kept.cubin).name))


def store(directory: Path, key: str, reply: CompileReply) -> None:
    """Write atomically; a full or read-only disk only costs the next caller a compile."""
    entry = _entry(directory, key)
    try:
        entry.parent.mkdir(parents=True, exist_ok=True)
        write_whole(entry, dumps(reply))
    except OSError:
        return


def store_cubin(directory: Path, image: bytes) -> Path:
    """Where machine code is kept, by its content; raises OSError where it cannot be."""
    path = _cubins(directory) / f"{hashlib.sha256(image).hexdigest()}.cubin"
    if path.exists():
        note_use(path)
    else:
        path.parent.mkdir(parents=True, exist_ok=True)
        write_whole(path, image)
    return path


def _cubins(directory: Path) -> Path:
    return directory / "cubin"


def _entry(directory: Path, key: str) -> Path:
    return directory / "compile" / key[:2] / f"{key}.json"
