"""Recordings on disk."""

from __future__ import annotations

from pathlib import Path

from assistant.workload.recordings import RecordingWriter


def test_recordings_of_the_same_job_share_their_blobs(tmp_path: Path) -> None:
    shared = tmp_path / "blobs"
    names = {RecordingWriter(tmp_path / folder, shared).add_blob(b"contents") for folder in ("a", "b")}
    (name,) = names
    files = {tmp_path / folder / "blobs" / name for folder in ("a", "b")}
    assert {file.read_bytes() for file in files} == {b"contents"}
    assert {file.stat().st_ino for file in files} == {(shared / name).stat().st_ino}
