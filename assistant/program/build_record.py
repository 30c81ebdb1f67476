"""What recording a build showed, as it is kept in the workspace's ``.kernelopt`` folder: its programs, and what it was made from.

Example::

    keep_record(Path("/p"), record, ("gen/table.h",), Path("/scratch/kept"))
    read_records(Path("/p")).records[0].programs[0].name     # 'bin/app'
"""

from __future__ import annotations

import hashlib
import json
import shlex
import shutil
from pathlib import Path

from filelock import FileLock, Timeout

from assistant.config.paths import RECORDS_NAME, workspace_folder
from assistant.disk.removal import remove_tree
from assistant.disk.texts import read_bytes
from assistant.disk.whole import write_whole
from assistant.errors import CannotAnswerError, KernelOptError
from assistant.record import Record
from assistant.serialize import decode, encode

__all__ = [
    "BuildRecord",
    "KeptRecords",
    "RecordedProgram",
    "RecordedUnit",
    "file_digest",
    "generated_folder",
    "keep_record",
    "read_records",
    "record_key",
]

_MOST_BYTES = 64 << 20
_MOST_RECORDS = 32
"""Records of a workspace: the oldest go."""
_LOCK_TIMEOUT_S = 10.0
"""The lock is held for one write."""
_MOST_DIGESTED_BYTES = 16 << 20


class RecordedUnit(Record):
    """One source that the build compiled."""

    source: str
    """Relative to the workspace where it lies there; generated ones as the build had them."""
    flags: tuple[str, ...]
    """As the build gave them, with absolute folders."""
    object: str = ""
    """For a source in C: what the build made of it, below ``generated_folder``; else empty."""
    archive: str = ""
    """The static library that it comes from, of which a linker takes what is used; empty: it is linked in any case."""


class RecordedProgram(Record):
    """One program that the build linked."""

    name: str
    """Where it lies, relative to the workspace."""
    units: tuple[RecordedUnit, ...]
    libraries: tuple[str, ...] = ()
    """Other libraries, in order: ``-lz``, ``-L/opt/z/lib``, ``/opt/z/libz.a``."""
    also: tuple[str, ...] = ()
    """Where the build put copies of it."""


class BuildRecord(Record):
    """One build."""

    command: tuple[str, ...]
    folder: str
    """Where it ran, relative to the workspace."""
    programs: tuple[RecordedProgram, ...]
    made_from: dict[str, str]
    """Build file → digest of its text, relative to the workspace."""
    sources: tuple[str, ...] = ()
    """All units that lay in the workspace, where the build takes whatever there is (``*.cu``); else empty."""
    generated: tuple[str, ...] = ()
    """Sources that the build made and the workspace has not; they lie in ``generated_folder``."""
    objects: tuple[str, ...] = ()
    """Objects of sources in C; they lie there too."""
    notes: tuple[str, ...] = ()
    """In words, what is doubtful about it."""

    @property
    def text(self) -> str:
        """The command as a person types it."""
        return shlex.join(self.command)


class KeptRecords(Record):
    """What is kept of a workspace."""

    records: tuple[BuildRecord, ...]
    """The newest first."""
    problem: str = ""
    """Why none can be read; empty where all is well."""


def record_key(record: BuildRecord) -> str:
    """What distinguishes it from records of other commands."""
    return hashlib.sha256("\0".join((record.folder, *record.command)).encode("utf-8", "surrogateescape")).hexdigest()[:16]


def generated_folder(workspace: Path, record: BuildRecord) -> Path:
    """Where the sources that the build made lie, as in the workspace."""
    return workspace / ".kernelopt" / "builds" / record_key(record)


def file_digest(path: Path) -> str:
    """Digest of a build file's content; empty where it cannot be read."""
    try:
        return hashlib.sha256(read_bytes(path, _MOST_DIGESTED_BYTES)).hexdigest()[:32]
    except OSError:
        return ""


def read_records(workspace: Path) -> KeptRecords:
    """None where there are none, and where they are damaged, which is said."""
    path = workspace / ".kernelopt" / RECORDS_NAME
    try:
        return KeptRecords(decode(tuple[BuildRecord, ...], json.loads(read_bytes(path, _MOST_BYTES))))
    except FileNotFoundError:
        return KeptRecords(())
    except (OSError, ValueError, KernelOptError, RecursionError):
        shown = path.relative_to(workspace)
        return KeptRecords((), f'{shown} cannot be used: delete it, and record the build again: kernelopt program --record "COMMAND"')


def keep_record(workspace: Path, record: BuildRecord, kept: Path) -> None:
    """In the place of an earlier one of the same command; ``kept``: the folder with its generated sources.

    Raises CannotAnswerError where it cannot be written.
    """
    try:
        path = workspace_folder(workspace) / RECORDS_NAME
        with FileLock(f"{path}.lock", timeout=_LOCK_TIMEOUT_S):
            others = [each for each in read_records(workspace).records if record_key(each) != record_key(record)]
            _keep_generated(generated_folder(workspace, record), record, kept)
            for forgotten in others[_MOST_RECORDS - 1 :]:
                remove_tree(generated_folder(workspace, forgotten))
            _write(path, (record, *others[: _MOST_RECORDS - 1]))
    except (OSError, Timeout) as error:
        message = f"the recorded build cannot be kept in {workspace / '.kernelopt'}: {error}"
        raise CannotAnswerError(message, "make that folder writable") from error


def _keep_generated(folder: Path, record: BuildRecord, kept: Path) -> None:
    folder.parent.mkdir(exist_ok=True)
    remove_tree(folder)
    for name in (*record.generated, *record.objects):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(kept / name, folder / name)


def _write(path: Path, records: tuple[BuildRecord, ...]) -> None:
    write_whole(path, json.dumps(encode(records), indent=1), mode=0o600)
