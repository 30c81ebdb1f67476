"""The on-disk form of a recording: ``recording.json`` next to ``blobs/<sha256>``. The only module here that touches files.

Example::

    case = write_case(folder, new_case)              # folder/recording.json, folder/blobs/…
    reader = RecordingReader(case.recording)
    reader.blob(reader.recording.launches[0].buffers[0].before)
"""

from __future__ import annotations

import contextlib
import hashlib
import re
from collections.abc import Mapping
from dataclasses import field
from pathlib import Path

from assistant.disk.whole import write_whole
from assistant.errors import CannotAnswerError
from assistant.model.recording import SCHEMA_VERSION, Recording
from assistant.model.workload import Case, CaseOrigin
from assistant.record import Record
from assistant.serialize import DecodeError, dumps, loads

__all__ = ["NewCase", "RecordingReader", "RecordingWriter", "blob_name", "link_blob", "read_recording", "write_case"]

_BLOB_NAME = re.compile(r"[0-9a-f]{64}")


class NewCase(Record):
    """A case that is not on disk yet."""

    recording: Recording
    blobs: Mapping[str, bytes]
    """Contents by sha256; every name that ``recording`` uses."""
    launches: tuple[int, ...]
    """``RecordedLaunch.index`` of those that run, in order."""
    origin: CaseOrigin
    buffer_names: tuple[tuple[int, str], ...] = field(default=(), compare=False)
    """(buffer id, what the block calls it), declared cases only; for people, and not written to disk."""


def blob_name(data: bytes) -> str:
    """The name of a blob: sha256 of its contents."""
    return hashlib.sha256(data).hexdigest()


def link_blob(file: Path, blobs: Path) -> str:
    """The name of a blob's file, which is also in the folder ``blobs`` from now on, and takes no more of the disk. Raises OSError."""
    own = blobs / file.name
    if not own.exists():
        try:
            own.hardlink_to(file)
        except FileExistsError:
            pass  # somebody else was faster
        except OSError:  # another file system
            own.symlink_to(file.resolve())
    return file.name


def write_case(folder: Path, case: NewCase, shared: Path | None = None) -> Case:
    """``case`` written into ``folder`` (made if need be); ``shared`` as for `RecordingWriter`."""
    writer = RecordingWriter(folder, shared)
    for name, data in case.blobs.items():
        writer.add_named_blob(name, data)
    writer.write(case.recording)
    return Case(folder, case.launches, case.origin)


class RecordingWriter:
    """Writes one recording; blobs first, ``recording.json`` last, so that a torn folder has no recording."""

    def __init__(self, folder: Path, shared: Path | None = None) -> None:
        """``shared``: a folder that holds the blobs of many recordings, which link to it: making folders and files costs the most."""
        self._folder = folder
        self._blobs = folder / "blobs"
        if shared is None:
            self._blobs.mkdir(parents=True, exist_ok=True)
            return
        shared.mkdir(parents=True, exist_ok=True)
        folder.mkdir(parents=True, exist_ok=True)
        with contextlib.suppress(FileExistsError):
            self._blobs.symlink_to(shared.absolute(), target_is_directory=True)

    def add_blob(self, data: bytes) -> str:
        """Stores ``data`` once and returns its name."""
        name = blob_name(data)
        self.add_named_blob(name, data)
        return name

    def add_named_blob(self, name: str, data: bytes) -> None:
        """Stores ``data``, whose sha256 ``name`` is, once."""
        path = self._blobs / name
        if not path.exists():
            write_whole(path, data)

    def write(self, recording: Recording) -> None:
        write_whole(self._folder / "recording.json", dumps(recording).encode())


class RecordingReader:
    """Reads one recording folder; blobs are read when asked for and checked for their length only."""

    def __init__(self, folder: Path, recording: Recording | None = None) -> None:
        """``recording``: what is known of the one in the folder, where somebody has read it."""
        self._folder = folder
        self.recording = read_recording(folder) if recording is None else recording

    def path(self, name: str) -> Path:
        """The file of a blob, which need not be there; raises ``CannotAnswerError`` for what is no blob's name."""
        if _BLOB_NAME.fullmatch(name) is None:
            raise CannotAnswerError(f"'{name}' is not a blob name in {self._folder}", "record the program again")
        return self._folder / "blobs" / name

    def blob(self, name: str) -> bytes:
        """Contents of a blob; raises ``CannotAnswerError`` when it is missing."""
        path = self.path(name)
        try:
            return path.read_bytes()
        except OSError as error:
            raise CannotAnswerError(f"{self._folder} lacks blob {name[:12]}", "record the program again") from error


def read_recording(folder: Path) -> Recording:
    """The types of ``model/recording.py`` from ``recording.json``; raises ``CannotAnswerError`` when it is not readable."""
    path = folder / "recording.json"
    try:
        recording = loads(Recording, path.read_bytes())
    except (OSError, DecodeError) as error:
        raise CannotAnswerError(f"{path} is not a readable recording: {error}", "record the program again") from error
    if recording.schema != SCHEMA_VERSION:
        raise CannotAnswerError(f"{path} has format {recording.schema}, expected {SCHEMA_VERSION}", "record the program again")
    return recording
