"""The files of a recording's contents: named by what they hold, and shared by the recordings of a job.

Example::

    names = rename_blobs(folder / "blobs")            # old name -> SHA-256
    share_blobs(folder / "blobs", folder.with_name("recorded-blobs"))
"""

from __future__ import annotations

import hashlib
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from assistant.workload.recordings import link_blob

__all__ = ["rename_blobs", "share_blobs"]

_HASHED_AT_ONCE = 4
"""Files whose hashes are computed by one core each: the contents of a large launch are a handful."""


def share_blobs(blobs: Path, shared: Path) -> None:
    """Have every blob in the folder ``shared``, too, so that equal ones of several recordings take the disk's space once."""
    shared.mkdir(parents=True, exist_ok=True)
    for path in blobs.iterdir():
        known = shared / path.name
        if known.exists():
            path.unlink()
            link_blob(known, blobs)
        else:
            link_blob(path, shared)


def rename_blobs(folder: Path) -> dict[str, str]:
    """Renames every file from the core's name to the SHA-256 of its contents; old name → new name."""
    if not folder.is_dir():
        return {}
    paths = sorted(folder.iterdir())
    for path in paths:
        if path.suffix == ".tmp":
            path.unlink()
    paths = [path for path in paths if path.suffix != ".tmp"]
    with ThreadPoolExecutor(_HASHED_AT_ONCE) as threads:
        names = dict(zip((path.name for path in paths), threads.map(_sha256, paths), strict=True))
    for path in paths:
        path.replace(folder / names[path.name])
    return names


def _sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
