"""Recordings of proposals are kept for replay, each content once, up to a quota."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Any

import pytest

from assistant.errors import MemoryFileError
from assistant.memory import ForgetScope, MemoryStore
from assistant.ports.store import NotReplayable

QUOTA = 10_000


def record(folder: Path, *contents: bytes) -> Path:
    (folder / "blobs").mkdir(parents=True)
    for content in contents:
        (folder / "blobs" / hashlib.sha256(content).hexdigest()).write_bytes(content)
    (folder / "recording.json").write_text(f'{{"schema": 1, "name": "{folder.name}"}}')
    return folder


def files_of(folder: Path) -> dict[str, bytes]:
    return {str(file.relative_to(folder)): file.read_bytes() for file in folder.rglob("*") if file.is_file()}


@pytest.fixture
def proposals(store: MemoryStore, given: Any) -> None:
    for index in (1, 2, 3):
        store.add_proposal(given.workspace, given.proposal(f"P0{index}", kernel=f"k{index}()"))


@pytest.mark.usefixtures("proposals")
def test_a_kept_recording_comes_back_as_it_was(store: MemoryStore, tmp_path: Path) -> None:
    original = record(tmp_path / "job", b"a" * 100, b"b" * 200, b"")
    store.keep_recording("P01", original, QUOTA, now_ms=1)
    restored = store.restore_recording("P01", tmp_path / "again")
    assert restored == tmp_path / "again"
    assert files_of(restored) == files_of(original)
    assert store.verify().damages == ()


@pytest.mark.usefixtures("proposals")
def test_equal_contents_are_stored_once(store: MemoryStore, path: Path, tmp_path: Path) -> None:
    store.keep_recording("P01", record(tmp_path / "a", b"same" * 500), QUOTA, now_ms=1)
    store.keep_recording("P02", record(tmp_path / "b", b"same" * 500, b"own"), QUOTA, now_ms=2)
    sizes = sorted(blob.stat().st_size for blob in (path.with_suffix(".recordings") / "blobs").iterdir())
    assert sizes == [3, 2000]


@pytest.mark.usefixtures("proposals")
def test_above_the_quota_the_oldest_goes_and_is_not_replayable(store: MemoryStore, path: Path, tmp_path: Path) -> None:
    for index in (1, 2, 3):
        store.keep_recording(f"P0{index}", record(tmp_path / f"job{index}", bytes([index]) * 4_000), QUOTA, now_ms=index)
    lost = store.restore_recording("P01", tmp_path / "again1")
    assert lost == NotReplayable("its recording was removed to keep within memory.recordings_bytes")
    assert store.restore_recording("P02", tmp_path / "again2") == tmp_path / "again2"
    assert len(list((path.with_suffix(".recordings") / "blobs").iterdir())) == 2
    assert store.verify().damages == ()


@pytest.mark.usefixtures("proposals")
def test_contents_that_a_newer_recording_shares_stay(store: MemoryStore, tmp_path: Path) -> None:
    store.keep_recording("P01", record(tmp_path / "a", b"s" * 6_000, b"x" * 3_000), QUOTA, now_ms=1)
    store.keep_recording("P02", record(tmp_path / "b", b"s" * 6_000, b"y" * 3_000), QUOTA, now_ms=2)
    assert isinstance(store.restore_recording("P01", tmp_path / "c"), NotReplayable)
    assert store.restore_recording("P02", tmp_path / "d") == tmp_path / "d"


@pytest.mark.usefixtures("proposals")
def test_a_recording_larger_than_the_quota_is_not_kept_and_the_others_are(store: MemoryStore, tmp_path: Path) -> None:
    store.keep_recording("P01", record(tmp_path / "a", b"x" * (QUOTA + 1)), QUOTA, now_ms=1)
    store.keep_recording("P02", record(tmp_path / "b", b"y" * 10), QUOTA, now_ms=2)
    store.keep_recording("P03", record(tmp_path / "c", b"z" * (QUOTA + 1)), QUOTA, now_ms=3)
    lost = store.restore_recording("P01", tmp_path / "again")
    assert lost == NotReplayable("its recording was removed to keep within memory.recordings_bytes")
    assert store.restore_recording("P02", tmp_path / "other") == tmp_path / "other"
    assert store.verify().damages == ()


def test_what_was_never_kept_is_not_replayable(store: MemoryStore, tmp_path: Path) -> None:
    assert store.restore_recording("P01", tmp_path / "again") == NotReplayable("no recording of it was kept")


@pytest.mark.usefixtures("proposals")
@pytest.mark.parametrize("damage", [lambda file: file.write_bytes(b"other"), Path.unlink])
@pytest.mark.parametrize("kind", ["blobs", "manifests"])
def test_a_damaged_recording_is_never_replayed(store: MemoryStore, path: Path, tmp_path: Path, kind: str, damage: Any) -> None:
    store.keep_recording("P01", record(tmp_path / "a", b"contents"), QUOTA, now_ms=1)
    (file,) = (path.with_suffix(".recordings") / kind).iterdir()
    damage(file)
    answer = store.restore_recording("P01", tmp_path / "again")
    assert isinstance(answer, NotReplayable) and "damaged" in answer.reason
    assert [d.subject for d in store.verify().damages] == ["recording of P01"]


@pytest.mark.usefixtures("proposals")
def test_forgetting_a_proposal_forgets_its_recording(store: MemoryStore, given: Any, path: Path, tmp_path: Path) -> None:
    store.keep_recording("P01", record(tmp_path / "a", b"secret"), QUOTA, now_ms=1)
    store.forget(ForgetScope(workspace=given.workspace), now_ms=9)
    assert list((path.with_suffix(".recordings") / "blobs").iterdir()) == []
    assert isinstance(store.restore_recording("P01", tmp_path / "again"), NotReplayable)


@pytest.mark.usefixtures("proposals")
def test_a_recording_that_is_gone_is_said(store: MemoryStore, tmp_path: Path) -> None:
    with pytest.raises(MemoryFileError, match="cannot be changed"):
        store.keep_recording("P01", tmp_path / "nowhere", QUOTA, now_ms=1)
