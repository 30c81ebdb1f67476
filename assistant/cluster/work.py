"""One piece of work as it travels: what kind it is, what is asked, and the files that it is about; and what comes back.

The same work has the same digest, by which it is sent once however often it is asked for. Example::

    item = WorkItem("judge", '{"task": …}', (WorkFile("program/blur.cu", data),))
    digest_of(item, build="0.1.0+ab12", device="cpu")
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable
from pathlib import Path, PurePosixPath

from assistant.errors import CannotAnswerError, UsageError
from assistant.record import Record
from assistant.serialize import dumps

__all__ = ["Done", "Place", "Refused", "Reply", "WorkFile", "WorkItem", "digest_of", "files_below", "write_files"]

_MOST_BYTES = 64 << 20
"""What the files of a piece of work may hold together."""


class WorkFile(Record):
    """A file that travels."""

    name: str
    """Below the folder that it is written into, with ``/``."""
    data: bytes


class WorkItem(Record):
    """What a worker is to do."""

    kind: str
    about: str
    """JSON text; the kind says of what."""
    files: tuple[WorkFile, ...] = ()


class Place(Record):
    """Where work was done."""

    worker: str
    """Name of the worker."""
    process_id: int
    """Of the worker."""
    build: str
    """Which kernelopt it has (`own_build`)."""
    device: str
    """``cpu``, or the name of its GPU."""
    gpu: str | None = None
    """UUID of its GPU."""
    driver: str | None = None
    """Version of that GPU's driver."""


class Done(Record):
    """What came of it."""

    value: str
    """JSON text; the kind says of what."""
    place: Place
    wall_s: float


class Refused(Record):
    """The work makes no sense on any worker: there is no reason to try again."""

    message: str
    remedy: str


Reply = Done | Refused


def digest_of(item: WorkItem, build: str, device: str) -> str:
    """By content: two pieces of work with the same digest are the same."""
    digest = hashlib.sha256(dumps(item).encode())
    digest.update(f"\0{build}\0{device}".encode())
    return digest.hexdigest()


def files_below(folder: Path, is_wanted: Callable[[Path], bool] = lambda _: True, below: str = "") -> tuple[WorkFile, ...]:
    """All plain files of a folder for which ``is_wanted`` says so, links followed, named with ``below`` in front.

    Raises UsageError where they are too large to travel, CannotAnswerError where one cannot be read.
    """
    found: list[WorkFile] = []
    total = 0
    for path in sorted(folder.rglob("*")):
        if not path.is_file() or not is_wanted(path):
            continue
        total += path.stat().st_size
        if total > _MOST_BYTES:
            raise UsageError(
                f"{folder} holds more than {_MOST_BYTES >> 20} MiB, which is too much to send to workers",
                "move away what programs do not need, or leave out --cluster",
            )
        try:
            found.append(WorkFile(below + path.relative_to(folder).as_posix(), path.read_bytes()))
        except OSError as error:
            raise CannotAnswerError(f"{path} cannot be read: {error.strerror}", "check its permissions") from error
    return tuple(found)


def write_files(folder: Path, files: Iterable[WorkFile]) -> None:
    """Write them below the folder. Raises UsageError for a name that leads out of it."""
    for file in files:
        name = PurePosixPath(file.name)
        if name.is_absolute() or ".." in name.parts or not name.parts:
            raise UsageError(f"{file.name!r} is no name of a file below a folder")
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(file.data)
