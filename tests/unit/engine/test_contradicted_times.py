"""A time that is not of the launch that was judged, or that a profiler contradicts: an internal error, and no verdict."""

from __future__ import annotations

from pathlib import Path

from assistant.model import events
from tests.contracts.fake_clock import Clock
from tests.unit.engine.commands import BESIDE, BOTH, HOST, SCALE, Commands
from tests.unit.engine.fakes import FakePlanner

A = (SCALE + HOST).replace("    int i", "    // takes 40 us\n    int i")
B = A.replace("2.0f * x[i]", "x[i] + x[i]").replace("40 us", "25 us")


async def compared(folder: Path, clock: Clock, before: str = A, after: str = B) -> tuple[list[events.ComparisonMade], events.JobEnded]:
    on = Commands(folder, FakePlanner("none"))
    on.timing = clock
    await on.compare(before, after)
    return on.all(events.ComparisonMade), on.only(events.JobEnded)


async def test_a_time_of_another_launch_is_an_internal_error_and_no_verdict(tmp_path: Path) -> None:
    clock = Clock()
    clock.stray = "both(float*, float*, int)"
    both = BOTH.replace("    int i", "    // takes 10 us\n    int i")
    made, ended = await compared(tmp_path, clock, both + A.replace(HOST, BESIDE), both + B.replace(HOST, BESIDE))
    assert ended.exit_code == 4 and "in place of A's scale" in ended.reason
    assert all(event.speed is None for event in made)


async def test_a_time_that_a_profiler_contradicts_is_an_internal_error_and_no_verdict(tmp_path: Path) -> None:
    clock = Clock()
    clock.profiled_s = 90e-6
    made, ended = await compared(tmp_path, clock)
    assert ended.exit_code == 4 and "A was timed at 40 µs, but the tests' profiler measured 90 µs" in ended.reason
    assert all(event.speed is None for event in made)


async def test_a_profiler_that_says_nearly_the_same_contradicts_nothing(tmp_path: Path) -> None:
    clock = Clock()
    clock.profiled_s = 40e-6 * 1.3
    made, ended = await compared(tmp_path, clock)
    assert ended.exit_code == 0 and [event.speed is None for event in made] == [False]
