"""Compiler processes end with the call, however it ends."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Generator
from contextlib import closing
from pathlib import Path
from types import FrameType

import pytest

from assistant.worker.tools import run_tool, run_tools


class EndRequested(Exception):  # noqa: N818 - an order
    """What a signal handler raises when the worker has to end."""


@pytest.fixture
def alarm(tmp_path: Path) -> Generator[list[float]]:
    """A signal makes the call leave, once the tools that run at a time have left their marks: on a busy machine they start late.
    When it did is in the list."""
    left = list[float]()

    def leave(number: int, frame: FrameType | None) -> None:
        if not left and sum(mark.stat().st_size > 0 for mark in tmp_path.iterdir()) == min(2, os.cpu_count() or 1):
            left.append(time.monotonic())
            raise EndRequested

    before = signal.signal(signal.SIGALRM, leave)
    signal.setitimer(signal.ITIMER_REAL, 0.3, 0.1)
    yield left
    signal.setitimer(signal.ITIMER_REAL, 0)
    signal.signal(signal.SIGALRM, before)


def _driver(mark: Path) -> tuple[str, ...]:
    """As g++ does: a driver whose child does the work; the child's process id is left in ``mark``."""
    return ("sh", "-c", f"sleep 60 & echo $! > {mark}; wait")


def _is_gone(mark: Path) -> bool:
    stat = Path(f"/proc/{mark.read_text().strip()}/stat")
    deadline = time.monotonic() + 2
    while stat.exists() and ") Z" not in stat.read_text() and time.monotonic() < deadline:
        time.sleep(0.01)
    return not stat.exists() or ") Z" in stat.read_text()


def test_a_call_that_is_left_ends_all_its_tools_and_their_children_at_once(tmp_path: Path, alarm: list[float]) -> None:
    marks = [tmp_path / str(index) for index in range(2)]
    with pytest.raises(EndRequested), closing(run_tools([_driver(mark) for mark in marks])) as ended:
        list(ended)
    assert time.monotonic() - alarm[0] < 2
    assert all(_is_gone(mark) for mark in marks if mark.exists())


def test_a_time_out_ends_the_children_too_and_reads_as_a_failure(tmp_path: Path) -> None:
    run = run_tool(_driver(tmp_path / "mark"), timeout_s=0.3)
    assert (run.is_ok, run.output) == (False, "sh did not end within 0 s")
    assert _is_gone(tmp_path / "mark")


def test_more_tools_than_cores_all_run_and_do_not_mix() -> None:
    with closing(run_tools([("sh", "-c", f"echo {index}; exit {index % 2}") for index in range(12)])) as ended:
        runs = dict(ended)
    assert {index: (run.is_ok, run.output) for index, run in runs.items()} == {i: (i % 2 == 0, f"{i}\n") for i in range(12)}


def test_a_long_output_is_read_whole() -> None:
    assert len(run_tool(("sh", "-c", "head -c 300000 /dev/zero | tr '\\0' x; echo")).output) == 300001
