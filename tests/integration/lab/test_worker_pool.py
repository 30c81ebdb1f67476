"""Workers of one kind: how many requests are under way at once, who answers them, and that all end."""

from __future__ import annotations

import asyncio
import os
import time
from collections.abc import AsyncGenerator
from pathlib import Path
from typing import Any

import pytest

from assistant.lab.process import WorkerPool, WorkerTimedOut, workers_at_once

MODULE = "tests.integration.lab.meeting_worker"
ROOT = Path(__file__).parents[3]
AT_ONCE = 2


@pytest.fixture
async def pool() -> AsyncGenerator[WorkerPool]:
    made = WorkerPool(MODULE, {**os.environ, "PYTHONPATH": str(ROOT)}, AT_ONCE)
    yield made
    await made.close()


def meeting(folder: Path, count: int) -> dict[str, Any]:
    folder.mkdir(exist_ok=True)
    return {"folder": str(folder), "count": count}


def wait_for_files(folder: Path, count: int) -> None:
    while len(list(folder.iterdir())) < count:
        time.sleep(0.01)


def is_running(pid: int) -> bool:
    return Path(f"/proc/{pid}").exists()


async def test_requests_are_answered_side_by_side_by_as_many_workers_as_may_be(pool: WorkerPool, tmp_path: Path) -> None:
    message = meeting(tmp_path / "two", AT_ONCE)
    replies = await asyncio.gather(*(pool.request(message, 60) for _ in range(2 * AT_ONCE)))
    assert len({reply["pid"] for reply in replies}) == AT_ONCE


async def test_one_request_after_another_needs_one_worker(pool: WorkerPool, tmp_path: Path) -> None:
    pids = {(await pool.request(meeting(tmp_path / "one", 1), 60))["pid"] for _ in range(3)}
    assert len(pids) == 1
    assert pids == {(await pool.first.request(meeting(tmp_path / "one", 1), 60))["pid"]}


async def test_who_was_asked_about_something_first_is_asked_again(pool: WorkerPool, tmp_path: Path) -> None:
    first, second = await asyncio.gather(*(pool.request(meeting(tmp_path / "met", AT_ONCE), 60, about) for about in "ab"))
    assert first["pid"] != second["pid"]
    for about, reply in (("b", second), ("a", first), ("b", second)):
        assert (await pool.request(meeting(tmp_path / "again", 1), 60, about))["pid"] == reply["pid"]


async def test_no_more_workers_are_started_than_may_be(pool: WorkerPool, tmp_path: Path) -> None:
    message = meeting(tmp_path / "three", AT_ONCE + 1)
    waiting = [asyncio.create_task(pool.request(message, 2)) for _ in range(AT_ONCE)]
    await asyncio.sleep(0)
    assert pool.is_busy
    with pytest.raises(WorkerTimedOut):
        await waiting[0]
    await asyncio.gather(*waiting, return_exceptions=True)
    assert not pool.is_busy
    assert (await pool.request(meeting(tmp_path / "again", 1), 60))["pid"]


async def test_a_request_that_is_cancelled_leaves_its_turn_to_others(pool: WorkerPool, tmp_path: Path) -> None:
    never = meeting(tmp_path / "never", AT_ONCE + 1)
    given_up = [asyncio.create_task(pool.request(never, 60)) for _ in range(AT_ONCE)]
    await asyncio.to_thread(wait_for_files, tmp_path / "never", AT_ONCE)
    for task in given_up:
        task.cancel()
    await asyncio.gather(*given_up, return_exceptions=True)
    assert (await pool.request(meeting(tmp_path / "after", 1), 60))["pid"]


async def test_all_workers_end_with_the_pool(pool: WorkerPool, tmp_path: Path) -> None:
    message = meeting(tmp_path / "two", AT_ONCE)
    pids = {reply["pid"] for reply in await asyncio.gather(*(pool.request(message, 60) for _ in range(AT_ONCE)))}
    await pool.close()
    assert not any(is_running(pid) for pid in pids)


@pytest.mark.parametrize(("cores", "count"), [(1, 1), (2, 1), (7, 1), (8, 2), (16, 4), (128, 8)])
def test_a_machine_with_few_cores_has_one_worker_of_a_kind(cores: int, count: int) -> None:
    assert workers_at_once(cores) == count
