"""Recordings of proposals, kept for replay in files next to the memory file, each buffer's contents once, up to a quota.

``memory.sqlite3`` has its recordings in ``memory.recordings/``: ``manifests/<proposal>.json`` and ``blobs/<sha256>``. Above the quota the
oldest recording is removed, and its proposal is "not replayable" from then on. Example::

    archive = RecordingArchive(database)
    archive.keep("P01…", job_folder / "recording", quota_bytes, now_ms)
    archive.restore("P01…", folder)          # the folder, or NotReplayable
"""

from __future__ import annotations

import hashlib
import re
import shutil
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from pathlib import Path

from filelock import FileLock, Timeout

from assistant.disk.whole import replacing, write_whole
from assistant.errors import MemoryFileError
from assistant.memory import records
from assistant.memory.database import Database
from assistant.ports.store import NotReplayable

__all__ = ["RecordingArchive"]

_BLOB_NAME = re.compile(r"[0-9a-f]{64}")
_LOCK_TIMEOUT_S = 60.0
"""Longest wait for another process that copies a recording (2 GiB at most)."""
_CHUNK_BYTES = 1 << 20


class RecordingArchive:
    """The recordings of a memory file."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._folder = database.path.with_suffix(".recordings")

    def keep(self, proposal_id: str, recording: Path, quota_bytes: int, now_ms: int) -> None:
        """Copy a recording folder in, then make room; one that is larger than the quota leaves all others where they are. Files come first,
        so that a crash leaves no row without files."""
        with self._changing():
            sizes = {blob.name: blob.stat().st_size for blob in (recording / "blobs").iterdir() if _BLOB_NAME.fullmatch(blob.name)}
            manifest = (recording / "recording.json").read_bytes()
            is_too_large = sum(sizes.values()) > quota_bytes
            if is_too_large:
                sizes = {}
            else:
                for name in sizes:
                    _copy(recording / "blobs" / name, self._blob(name))
                write_whole(self._manifest(proposal_id), manifest)
            with self._database.transaction():
                self._database.execute(
                    "insert into recordings (proposal, manifest, kept_ms, evicted_ms) values (?1, ?2, ?3, ?4)"
                    " on conflict (proposal) do update set manifest = ?2, kept_ms = ?3, evicted_ms = ?4",
                    (proposal_id, records.hash_of(manifest), now_ms, now_ms if is_too_large else None),
                )
                self._database.execute("delete from recording_blobs where proposal = ?", (proposal_id,))
                for name, size_bytes in sizes.items():
                    self._database.execute("insert into recording_blobs values (?, ?, ?)", (proposal_id, name, size_bytes))
                self._evict(quota_bytes, now_ms)
            self._sweep()

    def restore(self, proposal_id: str, folder: Path) -> Path | NotReplayable:
        """Lay the recording out in ``folder`` as it was recorded; contents are checked against their names."""
        row = self._database.row("select manifest, evicted_ms from recordings where proposal = ?", (proposal_id,))
        if row is None:
            return NotReplayable("no recording of it was kept")
        if row[1] is not None:
            return NotReplayable("its recording was removed to keep within memory.recordings_bytes")
        damages = tuple(self._damages(proposal_id, row[0]))
        if damages:
            return NotReplayable(f"its recording is damaged: {damages[0]}")
        (folder / "blobs").mkdir(parents=True, exist_ok=True)
        for name in self._names(proposal_id):
            shutil.copyfile(self._blob(name), folder / "blobs" / name)
        shutil.copyfile(self._manifest(proposal_id), folder / "recording.json")
        return folder

    def drop_forgotten(self, now_ms: int) -> int:
        """Remove the recordings of forgotten proposals; returns how many."""
        if not self._folder.exists():
            return 0
        with self._changing():
            with self._database.transaction():
                count = self._database.execute(
                    "update recordings set evicted_ms = ? where evicted_ms is null"
                    " and proposal in (select id from proposals where record is null)",
                    (now_ms,),
                )
            self._sweep()
        return count

    def damages(self) -> Iterator[tuple[str, str]]:
        """(proposal, what is wrong) for every recording that should be replayable and is not."""
        for proposal_id, manifest in self._database.rows("select proposal, manifest from recordings where evicted_ms is null"):
            for damage in self._damages(proposal_id, manifest):
                yield proposal_id, damage

    def _damages(self, proposal_id: str, manifest: str) -> Iterator[str]:
        try:
            if records.hash_of(self._manifest(proposal_id).read_bytes()) != manifest:
                yield "recording.json is not what was recorded"
        except OSError:
            yield "recording.json is missing"
        for name in self._names(proposal_id):
            try:
                if _sha256(self._blob(name)) != name:
                    yield f"blob {name[:12]} is not what was recorded"
            except OSError:
                yield f"blob {name[:12]} is missing"

    def _names(self, proposal_id: str) -> tuple[str, ...]:
        found = self._database.rows("select blob from recording_blobs where proposal = ? order by blob", (proposal_id,))
        return tuple(name for (name,) in found)

    def _evict(self, quota_bytes: int, now_ms: int) -> None:
        """Mark the oldest until what is left fits; shared contents count once."""
        while True:
            ((used_bytes,),) = self._database.rows(
                "select coalesce(sum(size_bytes), 0) from (select distinct blob, size_bytes from recording_blobs"
                " where proposal in (select proposal from recordings where evicted_ms is null))"
            )
            if used_bytes <= quota_bytes:
                return
            self._database.execute(
                "update recordings set evicted_ms = ? where proposal ="
                " (select proposal from recordings where evicted_ms is null order by kept_ms, proposal limit 1)",
                (now_ms,),
            )

    def _sweep(self) -> None:
        """Delete files that no replayable recording needs."""
        live = {proposal for (proposal,) in self._database.rows("select proposal from recordings where evicted_ms is null")}
        needed = {
            name
            for (name,) in self._database.rows(
                "select blob from recording_blobs where proposal in (select proposal from recordings where evicted_ms is null)"
            )
        }
        for blob in (self._folder / "blobs").iterdir():
            if blob.name not in needed:
                blob.unlink()
        for manifest in (self._folder / "manifests").iterdir():
            if manifest.stem not in live:
                manifest.unlink()

    @contextmanager
    def _changing(self) -> Generator[None]:
        """One process at a time, and errors of the disk in words."""
        try:
            for name in ("blobs", "manifests"):
                (self._folder / name).mkdir(parents=True, exist_ok=True)
            with FileLock(self._folder / "lock", timeout=_LOCK_TIMEOUT_S):
                yield
        except (OSError, Timeout) as error:
            raise MemoryFileError(f"{self._folder} cannot be changed: {error}", "check its permissions and the free space") from error

    def _blob(self, name: str) -> Path:
        return self._folder / "blobs" / name

    def _manifest(self, proposal_id: str) -> Path:
        return self._folder / "manifests" / f"{proposal_id}.json"


def _copy(source: Path, target: Path) -> None:
    """Copy unless it is there; a torn copy never gets the final name."""
    if target.exists():
        return
    with replacing(target) as partial:
        shutil.copyfile(source, partial)


def _sha256(path: Path) -> str:
    digest = hashlib.sha256()
    with path.open("rb") as stream:
        while chunk := stream.read(_CHUNK_BYTES):
            digest.update(chunk)
    return digest.hexdigest()
