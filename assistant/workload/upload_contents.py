"""Whether a program uploads contents that another one does not: whole or in pieces, they are the same contents.

Example::

    a, b = ProgramUploads(uploads_of_a, read_of_a), ProgramUploads(uploads_of_b, read_of_b)
    has_other_contents(a, b)     # False: B uploads A's array in four parts
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence

from assistant.model.recording import Upload
from assistant.record import Record
from assistant.workload.recordings import blob_name

__all__ = ["ProgramUploads", "has_other_contents"]


class ProgramUploads(Record):
    """What one program uploads."""

    uploads: Sequence[Upload]
    read: Callable[[str], bytes]
    """Contents of a blob."""


def has_other_contents(a: ProgramUploads, b: ProgramUploads) -> bool:
    """Whether B uploads contents that A does not; device addresses, which differ from run to run, are none."""
    known, added = (Counter(upload.blob for upload in side.uploads if not upload.has_addresses) for side in (a, b))
    joined_of_a, joined_of_b = Counter(_joined(_left(a, known - added), a.read)), Counter(_joined(_left(b, added - known), b.read))
    return bool(joined_of_b - joined_of_a)


def _left(side: ProgramUploads, wanted: Counter[str]) -> Iterator[Upload]:
    """As many uploads of each of these contents, the last ones, in order."""
    left, found = wanted.copy(), list[Upload]()
    for upload in reversed(side.uploads):
        if left[upload.blob] > 0:
            left[upload.blob] -= 1
            found.append(upload)
    return reversed(found)


def _joined(uploads: Iterable[Upload], read: Callable[[str], bytes]) -> Iterator[str]:
    """Name of the contents of each run of pieces that lie one behind the other in a buffer, as they are uploaded."""
    runs: dict[int, list[Upload]] = {}
    for upload in uploads:
        run = runs.setdefault(upload.buffer, [])
        if run and run[-1].buffer_offset_bytes + run[-1].size_bytes != upload.buffer_offset_bytes:
            yield _name(run, read)
            run.clear()
        run.append(upload)
    yield from (_name(run, read) for run in runs.values())


def _name(run: Sequence[Upload], read: Callable[[str], bytes]) -> str:
    return run[0].blob if len(run) == 1 else blob_name(b"".join(read(upload.blob) for upload in run))
