"""Speed of a Region whose only work between its launches is fills: launches replayed, fills at their own times in the programs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest

from assistant.engine.evaluate.evaluation import Evaluation
from assistant.engine.judge.program_speed import judged_region, operations_speed
from assistant.model.comparison import Comparison, SpeedOutcome
from assistant.model.recording import BufferState
from assistant.model.timing import PairTiming, TimingOptions
from assistant.model.workload import Case
from assistant.ports.lab import LabFailure, Program, ProgramRun, RunLimits
from tests.contracts.fake_clock import Clock
from tests.unit.engine.regions import A, Evaluated, job_with, of_a_gpu, ran

FASTER = """__global__ void quick(float *x) { x[0] = 1; /* takes 10 us */ }
"""
OLD, NEW = 30, 10
"""Microseconds of ``first`` and of ``quick``."""


class Watched(Clock):
    """A clock that keeps what it was asked for."""

    def __init__(self) -> None:
        super().__init__()
        self.asked: list[tuple[tuple[int, ...], tuple[int, ...]]] = []
        self.wall_s = 0.0

    async def time(
        self, a: Program, b: Program, cases: Sequence[tuple[Case, Case]], options: TimingOptions, limits: RunLimits
    ) -> PairTiming | LabFailure:
        self.asked += [(mine.launches, theirs.launches) for mine, theirs in cases]
        self.wall_s = options.wall_s
        return await super().time(a, b, cases, options, limits)


def run_of(words: str, kernel: str, us: int, fill_ns: int = 1500) -> tuple[tuple[str, int, int], ...]:
    """Steps of a program's run: kernels take ``us``, and 40 us lie in front of each step behind the first."""
    found, now = list[tuple[str, int, int]](), 0
    for number, word in enumerate(words.split()):
        now += 40_000 * (number > 0)
        taken = us * 1000 if word == kernel else fill_ns
        found.append((word, now, now + taken))
        now += taken
    return tuple(found)


def clock_of(a: str, b: str, fill_ns: int = 1500) -> Watched:
    clock = Watched()
    clock.ran = ran(first=run_of(a, "first", OLD, fill_ns), quick=run_of(b, "quick", NEW, fill_ns))
    return clock


async def told(before: Evaluation, after: Evaluation, clock: Clock) -> Comparison:
    """Of all that main does."""
    job = job_with(clock, region="main")
    found = judged_region(job, before, after)
    assert found is not None
    comparison = (await operations_speed(job, found, before, after, clock)).comparison
    assert comparison is not None
    return comparison


async def judged(evaluated: Evaluated, a: str, b: str, clock: Clock | None = None) -> Comparison:
    return await told(evaluated(A, a), evaluated(FASTER, b), clock or clock_of(a, b))


async def test_the_gap_between_a_fill_and_a_kernel_hides_nothing_that_was_won(evaluated: Evaluated) -> None:
    clock = clock_of("fill first", "fill quick")
    found = await judged(evaluated, "fill first", "fill quick", clock)
    assert (found.outcome, found.ratio) == (SpeedOutcome.FASTER, pytest.approx(31.5 / 11.5))
    (case,) = found.cases
    assert (case.before_s, case.after_s) == (pytest.approx(31.5e-6), pytest.approx(11.5e-6))
    assert clock.asked == [((0,), (0,))]


async def test_the_words_say_that_fills_were_added_and_what_lies_next_to_them_was_not(evaluated: Evaluated) -> None:
    found = await judged(evaluated, "fill first", "fill quick")
    added = "fills added at their recorded times, 1.5 µs of A and 1.5 µs of B"
    assert found.method.endswith(f"; {added}, by CUPTI's time stamps in the programs")
    assert f"launches replayed, {added}" in found.caveats
    apart = "without the gaps next to fills that both make"
    assert f"it took 31.5 µs → 11.5 µs in the programs themselves, {apart}" in found.caveats
    whole = [words for words in found.caveats if words.startswith("all that main does on the GPU, from the first step to the last: ")]
    assert whole and "71.5 µs → 51.5 µs" in whole[0], "the gap is in the time of the whole"
    assert not [words for words in found.caveats if "not replayed" in words]


@pytest.mark.parametrize(
    ("a", "b", "outcome", "ratio", "added"),
    [
        ("fill first", "quick", SpeedOutcome.FASTER, 31.5 / 10, "1.5 µs of A and none of B"),
        ("fill fill first", "fill quick", SpeedOutcome.FASTER, 33 / 11.5, "3 µs of A and 1.5 µs of B"),
        ("first", "fill quick", SpeedOutcome.INCONCLUSIVE, 30 / 11.5, "none of A and 1.5 µs of B"),
    ],
)
async def test_a_fill_that_one_side_has_counts_on_that_side(
    evaluated: Evaluated, a: str, b: str, outcome: SpeedOutcome, ratio: float, added: str
) -> None:
    """In the programs with the gap next to it, too: 51.5 us of the last one are slower than 30."""
    found = await judged(evaluated, a, b)
    assert (found.outcome, found.ratio) == (outcome, pytest.approx(ratio))
    assert f"launches replayed, fills added at their recorded times, {added}" in found.caveats


async def test_a_fill_that_b_adds_is_seen_where_nothing_else_differs(evaluated: Evaluated) -> None:
    same = A.replace("30 us", "10 us")
    clock = Watched()
    clock.ran = ran(first=run_of("first", "first", NEW), quick=run_of("fill quick", "quick", NEW))
    found = await told(evaluated(same, "first"), evaluated(FASTER, "fill quick"), clock)
    assert found.outcome is SpeedOutcome.SLOWER and found.ratio < 0.9


async def test_fills_that_vary_from_run_to_run_make_the_interval_wider(evaluated: Evaluated) -> None:
    def with_fills(*lengths_ns: int) -> Clock:
        clock, count = clock_of("fill first", "fill quick"), [0]
        runs = [clock_of("fill first", "fill quick", ns).ran for ns in lengths_ns]

        def run(program: Program) -> ProgramRun:
            count[0] += 1
            chosen = runs[count[0] % len(runs)]
            assert chosen is not None
            return chosen(program)

        clock.ran = run
        return clock

    steady = await judged(evaluated, "fill first", "fill quick", with_fills(1500))
    shaky = await judged(evaluated, "fill first", "fill quick", with_fills(1200, 1500, 1900, 1300, 1700))
    assert steady.low and steady.high and shaky.low and shaky.high
    assert shaky.high / shaky.low > steady.high / steady.low


def finding(evaluation: Evaluation, *contents: tuple[str, str]) -> Evaluation:
    """Each launch finds and leaves these contents in its one buffer."""
    run = evaluation.counted.run
    assert run is not None and run.recording is not None
    launches = tuple(
        replace(launch, buffers=(BufferState(1, before, after),))
        for launch, (before, after) in zip(run.recording.launches, contents, strict=True)
    )
    run = replace(run, recording=replace(run.recording, launches=launches))
    return replace(evaluation, counted=replace(evaluation.counted, run=run))


async def test_launches_that_need_a_fill_in_between_are_replayed_in_parts(evaluated: Evaluated) -> None:
    """Replayed as one call the second launch would go on counting where the first one ended."""
    words = "fill first fill first", "fill quick fill quick"
    clock = clock_of(*words)
    contents = ("0", "b"), ("0", "c")
    before, after = (finding(evaluated(text, each), *contents) for text, each in zip((A, FASTER), words, strict=True))
    found = await told(before, after, clock)
    assert clock.asked == [((0,), (0,))], "both find the same: one of them is timed, for both"
    assert (found.outcome, found.ratio) == (SpeedOutcome.FASTER, pytest.approx(63 / 23))
    assert (found.cases[0].before_s, found.cases[0].after_s) == (pytest.approx(63e-6), pytest.approx(23e-6))
    assert "replayed in 2 parts, each on what its program had in memory before it" in found.method


async def test_parts_that_find_different_memory_are_timed_one_by_one(evaluated: Evaluated) -> None:
    words = "first fill first first", "quick fill quick quick"
    clock = clock_of(*words)
    contents = ("x", "b"), ("0", "c"), ("c", "d")
    before, after = (finding(evaluated(text, each), *contents) for text, each in zip((A, FASTER), words, strict=True))
    found = await told(before, after, clock)
    assert clock.asked == [((0,), (0,)), ((1, 2), (1, 2))]
    assert "replayed 2.90x [2.90, 2.91], fills added at their recorded times, 1.5 µs of A and 1.5 µs of B" in found.caveats
    assert found.ratio == pytest.approx((61.5 + 70) / (21.5 + 50)), "of the programs, with the gap between the last two launches"
    assert clock.wall_s == pytest.approx(3.0), "six seconds for all of them"


async def test_a_fill_that_no_launch_needs_cuts_nothing(evaluated: Evaluated) -> None:
    words = "first fill first", "quick fill quick"
    clock = clock_of(*words)
    before, after = (finding(evaluated(text, each), ("a", "b"), ("b", "c")) for text, each in zip((A, FASTER), words, strict=True))
    await told(before, after, clock)
    assert clock.asked == [((0, 1), (0, 1))]


async def test_a_side_that_needs_no_fill_is_cut_into_as_many_parts(evaluated: Evaluated) -> None:
    """Each launch finds in any part what it found in the program."""
    words = "first fill first", "quick quick"
    clock = clock_of(*words)
    before, after = (evaluated(text, each) for text, each in zip((A, FASTER), words, strict=True))
    found = await told(finding(before, ("0", "b"), ("0", "c")), finding(after, ("0", "b"), ("b", "c")), clock)
    assert clock.asked == [((0,), (0,)), ((1,), (1,))]
    assert found.ratio == pytest.approx(141.5 / 60), "of the programs, with their gaps"
    (replayed,) = [text for text in found.caveats if text.startswith("replayed ")]
    assert replayed.startswith("replayed 3.07x") and replayed.endswith("1.5 µs of A and none of B")


async def test_a_side_with_fewer_launches_than_parts_is_timed_as_it_is(evaluated: Evaluated) -> None:
    words = "first fill first", "quick"
    clock = clock_of(*words)
    before, after = (evaluated(text, each) for text, each in zip((A, FASTER), words, strict=True))
    found = await told(finding(before, ("0", "b"), ("0", "c")), after, clock)
    assert clock.asked == []
    assert "not replayed: fills that launches need cut A into 2 parts, and B makes 1 launch" in found.caveats
    assert found.ratio == pytest.approx(141.5 / 10)


async def test_many_parts_are_not_replayed(evaluated: Evaluated) -> None:
    words = "fill first " * 12, "fill quick " * 12
    clock = clock_of(*words)
    contents = [(f"{number}", f"b{number}") for number in range(12)]
    before, after = (finding(evaluated(text, each), *contents) for text, each in zip((A, FASTER), words, strict=True))
    found = await told(before, after, clock)
    assert "not replayed: more than 8 different parts between fills would have to be timed" in found.caveats


async def test_fills_do_not_count_as_launches_that_are_replayed(evaluated: Evaluated) -> None:
    words = "fill first " * 20, "fill quick " * 20
    clock = clock_of(*words)
    found = await judged(evaluated, *words, clock)
    assert clock.asked == [(tuple(range(20)), tuple(range(20)))]
    assert found.ratio == pytest.approx(31.5 / 11.5)


async def test_without_the_programs_times_there_are_none_of_the_fills(evaluated: Evaluated) -> None:
    found = await judged(evaluated, "fill first", "fill quick", Watched())
    reason = "not timed: its fills were not timed, which only the programs show; this clock runs no programs"
    assert reason in found.caveats
    assert found.outcome is not SpeedOutcome.FASTER


async def test_copies_on_the_gpu_are_not_replayed_and_the_gaps_count(evaluated: Evaluated) -> None:
    words = "fill first copy_on_device", "fill quick copy_on_device"
    found = await judged(evaluated, *words)
    assert "not replayed: copies are not replayed" in found.caveats
    assert found.ratio == pytest.approx((30 + 83) / (10 + 83))


async def test_where_waits_were_not_seen_the_gaps_count_and_the_programs_decide(evaluated: Evaluated) -> None:
    words = "fill first", "fill quick"
    found = await told(of_a_gpu(evaluated(A, words[0])), of_a_gpu(evaluated(FASTER, words[1])), clock_of(*words))
    assert found.ratio == pytest.approx(71.5 / 51.5)
    assert [text for text in found.caveats if text.startswith("replayed 2.74x")]
    assert "waits of the host and allocations were not seen" in found.caveats


async def test_a_launch_that_b_adds_next_to_a_fill_is_not_freed_of_its_gap(evaluated: Evaluated) -> None:
    words = "fill first", "quick fill quick"
    found = await judged(evaluated, *words)
    assert "it took 71.5 µs → 102 µs in the programs themselves" in found.caveats
    assert found.outcome is not SpeedOutcome.FASTER


async def test_copies_of_a_driver_hide_no_fill(evaluated: Evaluated) -> None:
    """It brings variables to the GPU when it loads code."""
    clock = clock_of("copy_to_device fill first", "copy_to_device fill quick")
    found = await judged(evaluated, "fill first", "fill quick", clock)
    assert found.ratio == pytest.approx(31.5 / 11.5)


@pytest.mark.parametrize("letter", ["A", "B"])
async def test_where_one_side_is_a_fill_alone_nothing_is_replayed(evaluated: Evaluated, letter: str) -> None:
    clock = Watched()
    clock.ran = ran(first=run_of("fill", "first", OLD), quick=run_of("quick", "quick", NEW))
    fill, launch = evaluated(A, "fill"), evaluated(FASTER, "quick")
    found = await told(*((fill, launch) if letter == "A" else (launch, fill)), clock)
    assert clock.asked == [] and f"not replayed: {letter} launches nothing in it" in found.caveats
    assert found.ratio == pytest.approx(1.5 / 10 if letter == "A" else 10 / 1.5)
