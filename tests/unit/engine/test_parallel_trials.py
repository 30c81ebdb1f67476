"""Candidates are tried on several labs at once, and each is judged once."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Generator
from contextlib import contextmanager
from typing import cast

import pytest

from assistant.engine.proposals.records import Tried
from assistant.engine.search.parallel_trials import ParallelTrials
from assistant.engine.search.trial import Link, Trial
from assistant.model.plan import Rewrite, Step

STEP = Step("shared-tile", "k", 3, "because", (), "KO101", (), 1.0)
ONE, TWO, THREE = (Rewrite("shared-tile", "k", line, (), "Use a tile.", ()) for line in (1, 2, 3))


class _Text:
    """As much of a version as tries ask for."""

    text = "__global__ void k() {}"


LINK = cast("Link", _Text())


class Device:
    """Judges once as many trials are under way as the barrier says."""

    def __init__(self, name: str, under_way: asyncio.Barrier) -> None:
        self.name = name
        self.judged: list[Rewrite] = []
        self._under_way = under_way

    async def judge(self, link: Link, step: Step, rewrite: Rewrite, on_built: Callable[[], None]) -> Trial:
        self.judged.append(rewrite)
        on_built()
        await self._under_way.wait()
        return Trial(Tried(f"{self.name}{rewrite.line}", step, rewrite))


class Meter:
    def __init__(self) -> None:
        self.count = 0

    @contextmanager
    def __call__(self) -> Generator[None]:
        self.count += 1
        yield


def devices(wanted: int, *names: str) -> tuple[Device, ...]:
    under_way = asyncio.Barrier(wanted)
    return tuple(Device(name, under_way) for name in names)


async def test_two_devices_try_two_candidates_at_the_same_time() -> None:
    first, second = devices(2, "a", "b")
    meter = Meter()
    tries = ParallelTrials((first, second), meter)
    tries.begin(LINK, STEP, TWO)
    async with asyncio.timeout(20):
        trials = [await tries.judge(LINK, STEP, rewrite) for rewrite in (ONE, TWO)]
    assert [trial.tried.rewrite for trial in trials] == [ONE, TWO]
    assert sorted(len(device.judged) for device in (first, second)) == [1, 1]
    assert meter.count == 2


async def test_one_device_begins_nothing_ahead() -> None:
    (only,) = devices(1, "a")
    tries = ParallelTrials((only,), Meter())
    tries.begin(LINK, STEP, TWO)
    assert not tries.has_room
    await tries.judge(LINK, STEP, ONE)
    assert only.judged == [ONE]


async def test_whoever_asks_hears_when_the_compiler_is_free_again() -> None:
    (only,) = devices(1, "a")
    heard: list[str] = []
    await ParallelTrials((only,), Meter()).judge(LINK, STEP, ONE, lambda: heard.append("free"))
    assert heard == ["free"]


async def test_what_was_begun_and_not_asked_for_is_called_off() -> None:
    pair = devices(9, "a", "b")  # more than there will ever be: they wait
    tries = ParallelTrials(pair, Meter())
    tries.begin(LINK, STEP, TWO)
    tries.begin(LINK, STEP, THREE)
    await asyncio.sleep(0.01)
    await tries.close()
    assert [device.judged for device in pair] == [[TWO], []]
    assert tries.has_room


async def test_a_trial_that_fails_fails_where_it_is_asked_for_and_frees_its_device() -> None:
    class Broken(Device):
        async def judge(self, link: Link, step: Step, rewrite: Rewrite, on_built: Callable[[], None]) -> Trial:
            raise OSError("disk full")

    tries = ParallelTrials((Broken("a", asyncio.Barrier(1)), *devices(1, "b")), Meter())
    tries.begin(LINK, STEP, TWO)
    await asyncio.sleep(0.01)
    with pytest.raises(OSError, match="disk full"):
        await tries.judge(LINK, STEP, TWO)
    with pytest.raises(OSError, match="disk full"):
        await tries.judge(LINK, STEP, ONE)
