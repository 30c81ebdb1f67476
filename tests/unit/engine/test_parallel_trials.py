"""Candidates are tried on several labs at once, and each is judged once."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Generator
from contextlib import contextmanager
from typing import cast

import pytest

from assistant.engine.search.parallel_trials import ParallelTrials
from assistant.engine.search.trials import SearchNode, Trial
from assistant.model.plan import Rewrite, Step

STEP = Step("shared-tile", "k", 3, "because", (), "KO101", (), 1.0)
ONE, TWO, THREE = (Rewrite("shared-tile", "k", line, (), "Use a tile.", ()) for line in (1, 2, 3))


class _Text:
    """As much of a version as trials ask for."""

    key = "__global__ void k() {}"


NODE = cast("SearchNode", _Text())


class Device:
    """Judges once as many trials are under way as the barrier says."""

    def __init__(self, name: str, under_way: asyncio.Barrier) -> None:
        self.name = self.lab = name
        self.judged: list[Rewrite] = []
        self._under_way = under_way

    async def judge(self, node: SearchNode, step: Step, rewrite: Rewrite, on_built: Callable[[], None]) -> Trial:
        self.judged.append(rewrite)
        on_built()
        await self._under_way.wait()
        return Trial(f"{self.name}{rewrite.line}", step, rewrite)


class Meter:
    def __init__(self) -> None:
        self.labs: list[object] = []

    @contextmanager
    def __call__(self, lab: object) -> Generator[None]:
        self.labs.append(lab)
        yield


def devices(wanted: int, *names: str) -> tuple[Device, ...]:
    under_way = asyncio.Barrier(wanted)
    return tuple(Device(name, under_way) for name in names)


async def test_two_devices_try_two_candidates_at_the_same_time() -> None:
    first, second = devices(2, "a", "b")
    meter = Meter()
    parallel = ParallelTrials((first, second), meter)
    parallel.begin(NODE, STEP, TWO)
    async with asyncio.timeout(20):
        trials = [await parallel.judge(NODE, STEP, rewrite) for rewrite in (ONE, TWO)]
    assert [trial.rewrite for trial in trials] == [ONE, TWO]
    assert sorted(len(device.judged) for device in (first, second)) == [1, 1]
    assert sorted(map(str, meter.labs)) == ["a", "b"]
    again = devices(1, "c")
    parallel = ParallelTrials((*again, *devices(1, "d")), meter)
    for _ in range(2):
        parallel.begin(NODE, STEP, TWO)
        parallel.begin(NODE, STEP, TWO)
        await parallel.judge(NODE, STEP, TWO)
    assert sorted(device.judged for device in again) == [[TWO, TWO]]


async def test_one_device_begins_nothing_ahead() -> None:
    (only,) = devices(1, "a")
    parallel = ParallelTrials((only,), Meter())
    parallel.begin(NODE, STEP, TWO)
    assert not parallel.has_room
    await parallel.judge(NODE, STEP, ONE)
    assert only.judged == [ONE]


async def test_a_waiting_caller_hears_when_the_compiler_is_free_again() -> None:
    (only,) = devices(1, "a")
    heard: list[str] = []
    await ParallelTrials((only,), Meter()).judge(NODE, STEP, ONE, lambda: heard.append("free"))
    assert heard == ["free"]


async def test_what_was_begun_and_not_asked_for_is_called_off() -> None:
    pair = devices(9, "a", "b")  # more than there will ever be: they wait
    parallel = ParallelTrials(pair, Meter())
    parallel.begin(NODE, STEP, TWO)
    parallel.begin(NODE, STEP, THREE)
    await asyncio.sleep(0.01)
    await parallel.close()
    assert [device.judged for device in pair] == [[TWO], []]
    assert parallel.has_room


async def test_a_trial_that_fails_fails_where_it_is_asked_for_and_frees_its_device() -> None:
    class Broken(Device):
        async def judge(self, node: SearchNode, step: Step, rewrite: Rewrite, on_built: Callable[[], None]) -> Trial:
            raise OSError("disk full")

    parallel = ParallelTrials((Broken("a", asyncio.Barrier(1)), *devices(1, "b")), Meter())
    parallel.begin(NODE, STEP, TWO)
    await asyncio.sleep(0.01)
    with pytest.raises(OSError, match="disk full"):
        await parallel.judge(NODE, STEP, TWO)
    with pytest.raises(OSError, match="disk full"):
        await parallel.judge(NODE, STEP, ONE)
