"""What launches left in buffers, kept as files that are named by their contents.

Example::

    stored([(1, b"...")], out / "blobs")     # ((1, "9f86d0..."),)
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from pathlib import Path

from assistant.disk.whole import write_whole
from assistant.workload.recordings import link_blob

__all__ = ["stored"]


def stored(left: Iterable[tuple[int, bytes | Path]], blobs: Path) -> tuple[tuple[int, str], ...]:
    """(buffer id, sha256) of (buffer id, contents), each content written once; a path is a file of that name with these contents, which
    is only linked to. Raises OSError."""
    blobs.mkdir(parents=True, exist_ok=True)
    return tuple((buffer, link_blob(data, blobs) if isinstance(data, Path) else _stored(data, blobs)) for buffer, data in left)


def _stored(data: bytes, blobs: Path) -> str:
    name = hashlib.sha256(data).hexdigest()
    path = blobs / name
    if not path.exists():
        write_whole(path, data)  # another GPU's worker may write the same
    return name
