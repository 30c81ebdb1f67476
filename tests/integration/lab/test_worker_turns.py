"""A worker that several ask at the same time: who asks for a fresh process gets one that has answered nothing; none gets a spent one."""

from __future__ import annotations

import asyncio
import os
from pathlib import Path
from typing import Any

from assistant.lab.process import WorkerPool, WorkerProcess
from tests.integration.lab.test_worker_pool import MODULE, ROOT, meeting

ENVIRONMENT = {**os.environ, "PYTHONPATH": str(ROOT)}


async def pids(worker: WorkerProcess, folder: Path, *are_fresh: bool) -> list[int]:
    """Of the processes that answer requests which are asked at the same time, each once."""
    try:
        asked = (worker.request(meeting(folder, 0), 60, is_fresh) for is_fresh in are_fresh)
        return [reply["pid"] for reply in await asyncio.gather(*asked)]
    finally:
        await worker.close()


async def test_a_fresh_process_has_answered_nothing_before(tmp_path: Path) -> None:
    found = await pids(WorkerProcess(MODULE, ENVIRONMENT), tmp_path / "a", False, True, False, True)
    assert found[0] != found[1] == found[2] != found[3] and found[3] not in found[:3]


async def test_a_process_that_gave_its_last_answer_is_asked_nothing_more(tmp_path: Path) -> None:
    replies = list[dict[str, Any]]()

    def is_last(reply: dict[str, Any]) -> bool:
        replies.append(reply)
        return len(replies) == 1

    found = await pids(WorkerProcess(MODULE, ENVIRONMENT, is_last=is_last), tmp_path / "a", False, False, False)
    assert found[0] != found[1] == found[2]


async def test_when_a_worker_waited_for_a_gpu_is_kept_apart_from_its_answers(tmp_path: Path) -> None:
    worker, pool = WorkerProcess(MODULE, ENVIRONMENT), WorkerPool(MODULE, ENVIRONMENT)
    waits: list[list[float]]
    for waits in ([], [[1.0, 2.5]], [[4.0, 5.0], [6.0, 7.0]]):
        message = {**meeting(tmp_path / "a", 0), "waits": waits}
        assert list(await worker.request(message, 60)) == list(await pool.request(message, 60)) == ["pid"]
    assert worker.waits == pool.waits == [(1.0, 2.5), (4.0, 5.0), (6.0, 7.0)]
    await worker.close()
    await pool.close()
