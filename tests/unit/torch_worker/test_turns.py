"""A side's turns on a GPU: by files that it may write, and locks that it cannot reach."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

import pytest

from assistant.disk.gpu_lease import Lease
from assistant.torch_worker.turns import Turns

PATIENCE_S = 20.0


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "side"
    made.mkdir()
    return made


def until(holds: Callable[[], bool]) -> None:
    end_s = time.monotonic() + PATIENCE_S
    while not holds():
        assert time.monotonic() < end_s, "it did not come"
        time.sleep(0.005)


def ask(folder: Path, kind: str) -> None:
    (folder / f"wants_{kind}").write_bytes(b"")


def is_free(tmp_path: Path, *, alone: bool) -> bool:
    """Whether another process could have the GPU now, shared or alone."""
    try:
        with Lease("GPU-1", tmp_path, wait_s=0.05).held(alone=alone):
            return True
    except Exception:  # noqa: BLE001 - any refusal is one
        return False


def test_nothing_is_held_until_the_side_asks_and_after_it_has_ended(tmp_path: Path, folder: Path) -> None:
    with Turns(folder, Lease("GPU-1", tmp_path)):
        assert is_free(tmp_path, alone=True)
        ask(folder, "share")
        until((folder / "has_share").exists)
        assert is_free(tmp_path, alone=False) and not is_free(tmp_path, alone=True)
        ask(folder, "alone")
        until((folder / "has_alone").exists)
        assert not is_free(tmp_path, alone=False)
    assert is_free(tmp_path, alone=True)


def test_what_an_earlier_side_left_is_no_question(tmp_path: Path, folder: Path) -> None:
    ask(folder, "alone")
    (folder / "has_share").write_bytes(b"")
    with Turns(folder, Lease("GPU-1", tmp_path)):
        assert not (folder / "has_share").exists() and is_free(tmp_path, alone=True)


def test_a_gpu_that_stays_busy_is_said(tmp_path: Path, folder: Path) -> None:
    with Lease("GPU-1", tmp_path).held(alone=True), Turns(folder, Lease("GPU-1", tmp_path, wait_s=0.05)):
        ask(folder, "share")
        until((folder / "busy_share").exists)
        assert "another kernelopt measures on GPU-1" in (folder / "busy_share").read_text()
        assert not (folder / "has_share").exists()
