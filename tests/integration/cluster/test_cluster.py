"""Work on real workers, in processes of their own: none of it is lost or counted twice, whatever happens to them."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from collections import Counter
from pathlib import Path

import distributed
import pytest

from assistant.cluster import CPU, Cluster, WorkLostError, open_cluster
from assistant.cluster.offers import needed_for
from assistant.disk.lines import whole_lines
from assistant.errors import CannotAnswerError, UsageError
from tests.deadlines import HANG_S
from tests.integration.cluster.carried import carry_out, item


@pytest.fixture
def log(tmp_path: Path) -> Path:
    return tmp_path / "log"


def let_go(log: Path) -> None:
    log.with_suffix(".go").touch()


def lines(log: Path, word: str) -> list[tuple[int, int]]:
    """(number, process) of each line that begins with the word."""
    parts = [line.split() for line in whole_lines(log)]
    return [(int(number), int(process)) for first, number, process in parts if first == word]


async def logged(log: Path, word: str, count: int) -> list[tuple[int, int]]:
    while len(found := lines(log, word)) < count:  # noqa: ASYNC110 - another process writes them
        await asyncio.sleep(0.02)
    return found


async def test_a_lost_worker_loses_no_work_and_no_answer_counts_twice(log: Path) -> None:
    async with asyncio.timeout(HANG_S), open_cluster("local:2", carry_out) as cluster:
        assert await cluster.device(None) == CPU
        work = [asyncio.create_task(cluster.run(item("wait", number, log), CPU)) for number in (1, 2, 3, 4, 4)]
        (killed, process), _ = await logged(log, "begun", 2)
        os.kill(process, signal.SIGKILL)
        await logged(log, "begun", 3)
        let_go(log)
        done = await asyncio.gather(*work)
    assert [each.value for each in done] == ["1", "2", "3", "4", "4"]
    assert process not in {each.place.process_id for each in done}
    assert Counter(number for number, _ in lines(log, "begun"))[killed] == 2
    assert {number for number, _ in lines(log, "ended")} == {1, 2, 3, 4}


@pytest.mark.thorough
async def test_the_same_work_is_done_once_and_what_nobody_waits_for_ends(log: Path) -> None:
    async with asyncio.timeout(HANG_S), open_cluster("local:1", carry_out) as cluster:
        first = asyncio.create_task(cluster.run(item("wait", 1, log), CPU))
        await logged(log, "begun", 1)
        first.cancel()
        assert await logged(log, "cancelled", 1) == lines(log, "begun")

        let_go(log)
        both = await asyncio.gather(*(cluster.run(item("wait", 2, log), CPU) for _ in range(2)))
        with pytest.raises(UsageError, match="no sense") as refused:
            await cluster.run(item("refuse", 3, log), CPU)
        with pytest.raises(WorkLostError, match="failed on its worker, 3 times: OSError: no space left"):
            await cluster.run(item("fail", 4, log), CPU)
        with pytest.raises(WorkLostError, match="given up: 3 workers died"):
            await cluster.run(item("die", 5, log), CPU)
        assert (await cluster.run(item("say", 6, log), CPU)).value == "6"
    assert refused.value.remedy == "ask for something else"
    assert both[0].value == both[1].value == "2"
    assert Counter(number for number, _ in lines(log, "begun")) == {1: 1, 2: 1, 3: 1, 4: 3, 5: 3, 6: 1}


async def test_workers_of_another_kernelopt_or_of_others_get_nothing(log: Path) -> None:
    """The scheduler and its workers are in this process: what they would run is never run."""
    here = {"host": "127.0.0.1", "dashboard": False, "dashboard_address": "127.0.0.1:0"}
    other = {"CPU": 1, "kernelopt 0.0.9+abc on cpu": 1}
    async with (
        asyncio.timeout(HANG_S),
        distributed.Scheduler(port=0, **here) as scheduler,
        distributed.Worker(scheduler.address, name="old", resources=other, nthreads=1, **here),
        distributed.Worker(scheduler.address, name="foreign", resources={"CPU": 1}, nthreads=1, **here),
        distributed.Client(scheduler.address, asynchronous=True, set_as_default=False) as client,
    ):
        cluster = Cluster(client, scheduler.address, carry_out, "0.1.0+def", patience_s=0.1)
        with pytest.raises(CannotAnswerError, match="1 with cpu and another kernelopt") as missing:
            await cluster.device("cpu")
        with pytest.raises(CannotAnswerError, match=r"no worker of the cluster has cpu .*, for 0\.1 s"):
            await cluster.run(item("say", 1, log), CPU)
    assert "install the same kernelopt" in missing.value.remedy
    assert not lines(log, "begun")


async def test_a_worker_that_is_not_what_it_said_leaves(log: Path) -> None:
    """It was upgraded while it ran: this process has another kernelopt than the worker says."""
    here = {"host": "127.0.0.1", "dashboard": False, "dashboard_address": "127.0.0.1:0"}
    async with (
        asyncio.timeout(HANG_S),
        distributed.Scheduler(port=0, **here) as scheduler,
        distributed.Worker(scheduler.address, name="old", resources=needed_for("0.0.9+abc", CPU), nthreads=1, **here) as worker,
        distributed.Client(scheduler.address, asynchronous=True, set_as_default=False) as client,
    ):
        cluster = Cluster(client, scheduler.address, carry_out, "0.0.9+abc", patience_s=0.1)
        with pytest.raises(CannotAnswerError, match="it has no worker of kernelopt"):
            await cluster.run(item("say", 1, log), CPU)
        await worker.finished()
    assert not lines(log, "begun")


async def test_what_is_no_cluster_is_said() -> None:
    for word, message in (("local:none", "takes a number"), ("here", "scheduler's address"), ("local:0", "takes a number")):
        with pytest.raises(UsageError, match=message):
            async with open_cluster(word, carry_out):
                pass


async def test_without_dask_the_command_that_installs_it_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "distributed", None)  # as Python has it where a module cannot be imported
    for word in ("local:1", "tcp://127.0.0.1:1"):
        with pytest.raises(CannotAnswerError, match=r"needs dask\.distributed") as missing:
            async with open_cluster(word, carry_out):
                pass
        assert missing.value.remedy == "pip install 'kernelopt[dask]'"
