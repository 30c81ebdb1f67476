"""Kernels of one comparison run side by side on a lab with workers for several; they are reported in their order, and timed alone."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from assistant.engine.judge.at_once import begun, kernels_at_once
from assistant.engine.request import JobRequest
from assistant.model import events
from assistant.model.timing import PairTiming, TimingOptions
from assistant.model.workload import Case
from assistant.ports.lab import Lab, LabFailure, Program, ReplayOptions, ReplayRun, RunLimits
from tests.contracts.fake_clock import Clock
from tests.contracts.fake_lab import FakeLab
from tests.normal_events import normal_lines
from tests.unit.engine.asking import FEW
from tests.unit.engine.commands import PROGRAMS, Commands
from tests.unit.engine.test_commands import CHEAPER, PAIR, A, edited

pytestmark = pytest.mark.usefixtures("home")
SCALE_KEY, BOTH_KEY = "scale(float *, const float *, int)", "both(float *, float *, int)"
EDITED = edited("2.0f * x[i];", "x[i] + x[i];", PAIR).replace("if (i < n) x", "if (n > i) x")
"""Both kernels, each right."""
TIMED = PAIR.replace("    int i", "    // takes 40 us\n    int i")
FASTER = EDITED.replace("    int i", "    // takes 20 us\n    int i")
PATIENCE_S = 30.0
"""For what would never come if kernels were run one after the other."""


@dataclass
class Replays:
    """What replays are under way."""

    of: dict[str, int] = field(default_factory=lambda: {"scale": 0, "both": 0})
    met: asyncio.Event = field(default_factory=asyncio.Event)
    """Replays of both kernels were under way at one time."""
    most: int = 0
    called_off: set[str] = field(default_factory=set[str])
    before: Callable[[str], Any] | None = None
    """Awaited with the kernel's name before each replay."""
    failing: str = ""
    """A kernel that the lab fails to replay."""

    has_b: asyncio.Event = field(default_factory=asyncio.Event)
    """B was replayed."""
    waits_for_b: bool = False
    """The original's float64 values come when B is replayed."""

    async def both_under_way(self, _: str) -> None:
        await self.met.wait()


@dataclass
class Workers(FakeLab):
    """Answers replays of several kernels at a time."""

    replays: Replays = field(default_factory=Replays)

    async def replay(self, program: Program, cases: Sequence[Case], options: ReplayOptions, limits: RunLimits) -> ReplayRun | LabFailure:
        name, replays = program.kernels[0].partition("(")[0], self.replays
        if "x[i] + x[i]" in program.sources[0].text:
            replays.has_b.set()
        replays.of[name] += 1
        replays.most = max(replays.most, sum(replays.of.values()))
        if all(replays.of.values()):
            replays.met.set()
        try:
            if replays.before is not None:
                await replays.before(name)
            if name == replays.failing:
                return LabFailure("timed_out", f"{name} takes too long", "raise --timeout")
            return await super().replay(program, cases, options, limits)
        except asyncio.CancelledError:
            replays.called_off.add(name)
            raise
        finally:
            replays.of[name] -= 1

    async def replay_promoted(
        self, program: Program, cases: Sequence[Case], options: ReplayOptions, limits: RunLimits
    ) -> ReplayRun | LabFailure:
        if self.replays.waits_for_b:
            await self.replays.has_b.wait()
        return await super().replay_promoted(program, cases, options, limits)


@dataclass
class OnWorkers(Commands):
    at_once: int = 2
    replays: Replays = field(default_factory=Replays)

    def _open_lab(self, request: JobRequest, scratch: Path, target: str) -> Lab:
        return Workers(scratch, self.kernels, PROGRAMS, target=target, timing=self.timing, at_once=self.at_once, replays=self.replays)


@pytest.fixture
def on(tmp_path: Path) -> OnWorkers:
    return OnWorkers(tmp_path)


def verdicts(on: Commands) -> list[tuple[str | None, str]]:
    return [(made.kernel, made.verification.outcome.value) for made in on.all(events.ComparisonMade)]


def told_of(on: Commands) -> list[str]:
    return list(normal_lines(on.objects(), {str(on.folder): "<work>"}))


async def test_both_kernels_are_run_at_one_time(on: OnWorkers) -> None:
    on.replays.before = on.replays.both_under_way
    async with asyncio.timeout(PATIENCE_S):
        await on.compare(PAIR, EDITED, cases=FEW)
    assert verdicts(on) == [(SCALE_KEY, "PASS"), (BOTH_KEY, "PASS"), (None, "PASS")] and on.ending.exit_code == 0


async def test_the_edit_is_run_while_the_originals_error_is_looked_for(on: OnWorkers) -> None:
    on.replays.waits_for_b = True
    async with asyncio.timeout(PATIENCE_S):
        await on.compare(A, CHEAPER)
    assert verdicts(on) == [(SCALE_KEY, "PASS")]
    usual, on.at_once, on.replays.waits_for_b = told_of(on), 1, False
    await on.compare(A, CHEAPER)
    assert told_of(on) == usual


async def test_a_lab_with_one_worker_has_one_kernel_after_the_other(on: OnWorkers) -> None:
    on.at_once = 1
    await on.compare(PAIR, EDITED, cases=FEW)
    assert on.replays.most == 1 and len(verdicts(on)) == 3


@pytest.mark.parametrize("late", ["scale", "both"])
async def test_what_is_told_does_not_depend_on_which_kernel_is_done_first(on: OnWorkers, late: str) -> None:
    async def held_back(name: str) -> None:
        for _ in range(50 * (name == late)):
            await asyncio.sleep(0)

    wrong = EDITED.replace("x[i] + x[i];", "2.5f * x[i];", 1)
    on.at_once = 1
    await on.compare(PAIR, wrong, cases=FEW)
    usual = told_of(on)
    on.at_once, on.replays.before = 2, held_back
    await on.compare(PAIR, wrong, cases=FEW)
    assert told_of(on) == usual and [kernel for kernel, _ in verdicts(on)] == [SCALE_KEY, BOTH_KEY, None]


@pytest.mark.parametrize("at_once", [1, 2])
async def test_a_kernel_that_the_lab_cannot_run_does_not_hide_the_verdict_of_the_next(on: OnWorkers, at_once: int) -> None:
    on.at_once, on.replays.failing = at_once, "scale"
    await on.compare(PAIR, EDITED, cases=FEW)
    assert (verdicts(on), on.said) == ([(BOTH_KEY, "PASS")], ["scale takes too long"])
    assert (on.ending.exit_code, on.ending.reason) == (3, "scale takes too long")


async def test_a_comparison_that_is_left_calls_off_all_kernels(on: OnWorkers) -> None:
    async def for_ever(_: str) -> None:
        await asyncio.Event().wait()

    on.replays.before = for_ever
    reading = asyncio.create_task(on.compare(PAIR, EDITED, cases=FEW))
    async with asyncio.timeout(PATIENCE_S):
        await on.replays.met.wait()
    reading.cancel()
    await asyncio.gather(reading, return_exceptions=True)
    assert on.replays.called_off == {"scale", "both"} and not any(on.replays.of.values())


class AloneClock(Clock):
    """Notes how many replays are under way while it times."""

    def __init__(self, replays: Replays) -> None:
        super().__init__()
        self._replays = replays
        self.beside: list[int] = []

    async def time(
        self, a: Program, b: Program, cases: Sequence[tuple[Case, Case]], options: TimingOptions, limits: RunLimits
    ) -> PairTiming | LabFailure:
        for _ in range(20):
            await asyncio.sleep(0)
            self.beside.append(sum(self._replays.of.values()))
        return await super().time(a, b, cases, options, limits)


async def test_nothing_else_runs_while_a_kernel_is_timed(on: OnWorkers) -> None:
    on.timing = clock = AloneClock(on.replays)
    on.replays.before = on.replays.both_under_way
    async with asyncio.timeout(PATIENCE_S):
        await on.compare(TIMED, FASTER, cases=FEW)
    assert clock.beside and set(clock.beside) == {0}
    made = on.all(events.ComparisonMade)
    assert [(one.kernel, one.speed and one.speed.outcome.value) for one in made] == [
        (SCALE_KEY, "FASTER"),
        (BOTH_KEY, "FASTER"),
        (None, "FASTER"),
    ]


async def test_what_comes_behind_an_error_is_called_off() -> None:
    ended: list[str] = []

    async def work(name: str, event: asyncio.Event, error: Exception | None = None) -> str:
        try:
            await event.wait()
        finally:
            ended.append(name)
        if error is not None:
            raise error
        return name

    first, second, never = asyncio.Event(), asyncio.Event(), asyncio.Event()
    second.set()
    asyncio.get_running_loop().call_later(0, first.set)
    works = [work("a", first), work("b", second, ValueError("b")), work("c", never)]
    async with begun(works) as tasks:
        assert await tasks[0] == "a"
        with pytest.raises(ValueError, match="b"):
            await tasks[1]
        assert not tasks[2].done()
    assert ended == ["b", "a", "c"]


@pytest.mark.parametrize(
    ("worker_count", "memory_bytes", "contents_bytes", "count"),
    [(4, 128 << 30, 1 << 20, 4), (4, 16 << 30, 128 << 20, 2), (1, 128 << 30, 0, 1), (8, 1 << 30, 1 << 30, 1)],
)
def test_kernels_at_once_have_workers_and_memory(worker_count: int, memory_bytes: int, contents_bytes: int, count: int) -> None:
    assert kernels_at_once(worker_count, memory_bytes, contents_bytes) == count
