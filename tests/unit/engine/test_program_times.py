"""Speed of a part of two programs, timed in the programs themselves."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

from assistant.engine.evaluate.evaluation import Evaluation
from assistant.engine.judge import in_turn
from assistant.engine.judge.program_speed import operations_speed, other_operations
from assistant.model.comparison import Comparison, SpeedOutcome
from assistant.model.recording import HOST_COPIES
from assistant.ports.lab import LabFailure, Program, ProgramRun, RunLimits
from tests.contracts.fake_clock import Clock
from tests.unit.engine.regions import A, B, Evaluated, job_with, of_a_gpu, ran, told


@pytest.mark.parametrize(
    ("a_end", "b_end", "outcome", "ratio"),
    [
        (90_000, 30_000, SpeedOutcome.FASTER, 2.0),  # 3x in the programs, 2x replayed
        (60_000, 40_000, SpeedOutcome.FASTER, 1.5),
        (40_000, 40_000, SpeedOutcome.FASTER, 2.0),
        (40_000, 80_000, SpeedOutcome.INCONCLUSIVE, 2.0),
    ],
)
async def test_the_programs_themselves_are_timed_too_and_of_two_clear_ratios_the_one_nearer_to_one_stands(
    evaluated: Evaluated, a_end: int, b_end: int, outcome: SpeedOutcome, ratio: float
) -> None:
    clock = Clock()
    clock.ran = ran(
        first=(("copy_to_device", 0, 9), ("first", 1000, 9000), ("second", 10_000, 1000 + a_end)),
        both=(("copy_to_device", 0, 3), ("both", 5, 5 + b_end)),
    )
    found = await told(evaluated(A, "copy_to_device first second"), evaluated(B, "copy_to_device both"), clock)
    assert (found.outcome, found.ratio) == (outcome, pytest.approx(ratio))
    assert f"it took {a_end // 1000} µs → {b_end // 1000} µs in the programs themselves" in found.caveats
    a_ns, b_ns = 1000 + a_end, 5 + b_end
    whole = f"{a_ns // 1000} µs → {b_ns // 1000} µs, {a_ns / b_ns:.2f}x"
    assert [
        caveat for caveat in found.caveats if caveat.startswith(f"all that main does on the GPU, from the first step to the last: {whole}")
    ]


async def test_what_replays_leave_out_is_judged_in_the_programs_alone(evaluated: Evaluated) -> None:
    clock = Clock()
    clock.ran = ran(
        first=(("first", 0, 50_000), ("second", 50_000, 90_000)),
        both=(("both", 0, 10_000), ("both", 11_000, 30_000)),
    )
    found = await told(evaluated(A, "first second"), evaluated(B, "both wait both"), clock)
    assert (found.outcome, found.ratio) == (SpeedOutcome.FASTER, pytest.approx(3.0))
    assert found.caveats[-1] == "replays leave out what B adds between its launches: 1 wait of the host"


SLOW_LINK = {
    "first": (
        ("first", 0, 30_000),
        ("copy_to_host", 990_000, 2_000_000),
        ("second", 2_500_000, 2_530_000),
        ("copy_on_device", 2_531_000, 2_540_000),
    ),
    "both": (("both", 0, 10_000), ("copy_to_host", 960_000, 2_000_000), ("both", 2_500_000, 2_510_000)),
}
"""The copy over the link and the host next to it take longer than all else: 70 us and 20 us."""


async def test_copies_that_both_make_alike_are_not_in_the_time_of_the_programs_and_neither_is_the_host_next_to_them(
    evaluated: Evaluated,
) -> None:
    clock = Clock()
    clock.ran = ran(**SLOW_LINK)
    found = await told(evaluated(A, "first copy_to_host second copy_on_device"), evaluated(B, "both copy_to_host both"), clock)
    assert found.ratio == pytest.approx(70 / 20), "of the kernels, and of the copy behind the last with the gap before it"
    assert "it took 70 µs → 20 µs in the programs themselves, without those copies and what the host does next to them" in found.caveats


@pytest.mark.parametrize("why", ["a wait that B adds", "waits that were not seen", "several streams"])
async def test_where_more_may_happen_next_to_such_copies_all_that_lies_between_counts(evaluated: Evaluated, why: str) -> None:
    clock = Clock()
    clock.ran = ran(**SLOW_LINK)
    streams = 3 if why == "several streams" else 1
    before = evaluated(A, "first copy_to_host second copy_on_device", streams=streams)
    after = evaluated(B, f"both {'wait' if why == 'a wait that B adds' else ''} copy_to_host both", streams=streams)
    if why == "waits that were not seen":
        before, after = of_a_gpu(before), of_a_gpu(after)
    found = await told(before, after, clock)
    assert found.ratio == pytest.approx(2_540 / 2_510)
    assert not [caveat for caveat in found.caveats if "without those copies" in caveat]


async def test_copies_and_fills_count_in_the_programs_themselves(evaluated: Evaluated) -> None:
    clock = Clock()
    clock.ran = ran(
        first=(("fill", 0, 10_000), ("first", 20_000, 50_000), ("copy_on_device", 50_000, 90_000)),
        both=(("both", 0, 30_000), ("fill", 40_000, 45_000)),
    )
    found = await told(evaluated(A, "fill first copy_on_device"), evaluated(B, "both fill"), clock)
    assert (found.outcome, found.ratio) == (SpeedOutcome.FASTER, pytest.approx(2.0))
    assert found.cases[0].shape == "fill, first, copy on the GPU → both, fill"
    assert not any("all that main does" in caveat for caveat in found.caveats), "it is what was timed"


async def test_what_a_gpu_recorded_is_judged_in_the_programs_with_all_that_lies_between(evaluated: Evaluated) -> None:
    clock = Clock()
    clock.ran = ran(
        first=(("first", 0, 20_000), ("second", 20_000, 40_000), ("first", 50_000, 70_000), ("second", 70_000, 90_000)),
        both=(("both", 0, 10_000), ("both", 35_000, 45_000)),
    )
    before, after = evaluated(A, "first second " * 2), evaluated(B, "both " * 2)
    found = await told(of_a_gpu(before), of_a_gpu(after), clock)
    assert (found.outcome, found.ratio) == (SpeedOutcome.FASTER, pytest.approx(2.0)), "from the first launch to the last one"
    assert found.caveats[-1] == "waits of the host and allocations were not seen"
    for a, b in (((), ("5e1f",)), (None, ())):
        unsure = await told(of_a_gpu(before, a), of_a_gpu(after, b), clock)
        assert unsure.outcome is SpeedOutcome.INCONCLUSIVE and "the host may do part of the work" in unsure.caveats[-1]
    assert (await told(of_a_gpu(before), of_a_gpu(after))).outcome is SpeedOutcome.INCONCLUSIVE, "nothing was timed"


async def test_a_program_that_launches_other_kernels_when_it_is_timed_is_not_timed(evaluated: Evaluated) -> None:
    clock = Clock()
    clock.ran = ran(first=(("first", 0, 50_000),), both=(("both", 0, 10_000),))
    found = await told(evaluated(A, "first second"), evaluated(B, "both"), clock)
    assert found.caveats[-1] == "not timed in the programs themselves: A's program did other things on the GPU than when it was recorded"


def pageable(evaluation: Evaluation, size_bytes: int) -> Evaluation:
    """Every copy is of so many bytes of pageable memory."""
    run = evaluation.counted.run
    assert run is not None and run.recording is not None and run.recording.steps is not None
    steps = tuple(
        replace(step, size_bytes=size_bytes, is_pinned=False) if step.kind in HOST_COPIES else step for step in run.recording.steps
    )
    counted = replace(evaluation.counted, run=replace(run, recording=replace(run.recording, steps=steps)))
    return replace(evaluation, counted=counted, assessment=replace(evaluation.assessment, counted=counted))


@pytest.mark.parametrize(
    ("a", "b", "kernel_s", "outcome", "is_open"),
    [
        ("first copy_to_host", "first second", 1e-6, SpeedOutcome.PREDICTED, True),
        ("first second", "first copy_to_host", 1e-3, SpeedOutcome.INCONCLUSIVE, True),
        ("first second", "first copy_to_host", 1e-6, SpeedOutcome.PREDICTED, True),
        ("first second", "first copy_to_host", 1.0, SpeedOutcome.INCONCLUSIVE, False),
    ],
)
async def test_where_pageable_copies_decide_the_ratio_has_both_its_ends(
    evaluated: Evaluated, a: str, b: str, kernel_s: float, outcome: SpeedOutcome, is_open: bool
) -> None:
    before, after = (pageable(evaluated(A, steps, kernel_s), 1 << 25) for steps in (a, b))
    found = other_operations(before, after)
    assert found is not None
    speed = (await operations_speed(job_with(), found, before, after, None)).comparison
    assert speed is not None
    assert speed.outcome is outcome and (speed.low is not None) is is_open
    assert any("staging pageable memory" in words for words in speed.caveats) is is_open


def failing(clock: Clock, timing: LabFailure | None = None) -> Clock:
    clock.failure = timing
    return clock


NO_CLOCK = LabFailure("unsupported", "the clock is broken", "")


async def test_what_neither_replays_nor_programs_can_time_is_predicted_and_says_why(evaluated: Evaluated) -> None:
    pair = evaluated(A, "first second"), evaluated(B, "both")
    found = await told(*pair, failing(Clock(), NO_CLOCK))
    assert found.outcome is SpeedOutcome.PREDICTED and "not timed: the clock is broken; this clock runs no programs" in found.caveats
    many = evaluated(A, "first " * 33), evaluated(B, "both")
    assert (
        "not timed: more than 32 launches would have to be replayed as one; this clock runs no programs"
        in (await told(*many, Clock())).caveats
    )


async def test_launches_that_were_not_recorded_are_not_replayed(evaluated: Evaluated) -> None:
    def without(evaluation: Evaluation, *kept: int) -> Evaluation:
        run = evaluation.counted.run
        assert run is not None and run.recording is not None
        launches = tuple(launch for launch in run.recording.launches if launch.index in kept)
        run = replace(run, recording=replace(run.recording, launches=launches))
        return replace(evaluation, counted=replace(evaluation.counted, run=run))

    before, after = evaluated(A, "first second " * 3), evaluated(B, "both " * 3)
    found = await told(without(before, 0, 1, 2, 5), after, Clock())
    assert found.outcome is SpeedOutcome.FASTER, "the first repetition is there as a whole"
    for pair in ((without(before, 0, 3, 5), after), (before, without(after))):
        found = await told(*pair, Clock())
        assert "not timed: not all of its launches could be recorded; this clock runs no programs" in found.caveats
        assert found.outcome is not SpeedOutcome.FASTER


async def test_replays_of_several_streams_say_that_they_come_one_after_another(evaluated: Evaluated) -> None:
    pair = evaluated(A, "first second first second", streams=2), evaluated(B, "both")
    found = await told(*pair, Clock())
    assert "launches of several streams are replayed one after another" in found.caveats
    assert "launches of several streams are replayed one after another" not in (await told(*pair)).caveats


@pytest.mark.parametrize(
    ("first_wrong", "words"),
    [(0, "A's program did not end with status 0 on the GPU"), (1, "B's program did not end with status 0 on the GPU")],
)
async def test_a_program_that_fails_when_it_is_timed_is_not_timed(evaluated: Evaluated, first_wrong: int, words: str) -> None:
    clock, count = Clock(), [0]
    well = ran(first=(("first", 0, 50_000), ("second", 50_000, 90_000)), both=(("both", 0, 30_000),))

    def run(program: Program) -> ProgramRun:
        count[0] += 1
        return replace(well(program), exit_status=3) if count[0] > first_wrong else well(program)

    clock.ran = run
    found = await told(evaluated(A, "first second"), evaluated(B, "both"), clock)
    assert f"not timed in the programs themselves: {words}" in found.caveats
    assert found.outcome is SpeedOutcome.FASTER, "by the replays"


async def test_a_clock_that_breaks_after_the_first_runs_times_no_program(evaluated: Evaluated) -> None:
    class Breaking(Clock):
        count = 0

        async def timeline(self, program: Program, limits: RunLimits) -> ProgramRun | LabFailure:
            self.count += 1
            return NO_CLOCK if self.count > 3 else await super().timeline(program, limits)

    clock = Breaking()
    clock.ran = ran(first=(("first", 0, 50_000), ("second", 50_000, 90_000)), both=(("both", 0, 30_000),))
    found = await told(evaluated(A, "first second"), evaluated(B, "both"), clock)
    assert "not timed in the programs themselves: the clock is broken" in found.caveats and clock.count == 4


async def test_programs_that_take_long_are_not_timed_over_and_over(evaluated: Evaluated, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(in_turn, "_LONGEST_BLOCK_S", -1.0)  # what is meant takes minutes here
    clock = Clock()
    clock.ran = ran(first=(("first", 0, 50_000), ("second", 50_000, 90_000)), both=(("both", 0, 30_000),))
    found = await told(evaluated(A, "first second"), evaluated(B, "both"), clock)
    assert "not timed in the programs themselves: four runs take more than -1 s" in found.caveats


def unsteady(times: Callable[[int], float]) -> Callable[[Program], ProgramRun]:
    """Runs of both programs; the kernel of run i takes so many ns."""
    count = [0]

    def run(program: Program) -> ProgramRun:
        count[0] += 1
        taken = round(times(count[0]))
        old = (("fill", 0, 9), ("first", 9, taken), ("copy_on_device", taken, 2 * taken))
        return ran(first=old, both=(("both", 0, 9), ("fill", 9, taken)))(program)

    return run


async def told_in_programs(evaluated: Evaluated, clock: Clock) -> Comparison:
    return await told(evaluated(A, "fill first copy_on_device"), evaluated(B, "both fill"), clock)


async def test_where_five_blocks_leave_it_open_there_are_twelve(evaluated: Evaluated) -> None:
    """Something else holds one run in twenty up."""
    clock = Clock()
    clock.ran = unsteady(lambda number: 900_000 if number in {7, 30} else 90_000)
    found = await told_in_programs(evaluated, clock)
    assert found.outcome is SpeedOutcome.FASTER and found.ratio == pytest.approx(2.0, rel=0.01)
    assert found.method.endswith("n=12 blocks of ABBA, as the first 5 left it open")


async def test_noise_that_stays_leaves_it_open(evaluated: Evaluated) -> None:
    clock = Clock()
    clock.ran = unsteady(lambda number: 90_000 * (1 + 9 * (number % 3 == 0)))
    found = await told_in_programs(evaluated, clock)
    assert found.outcome is SpeedOutcome.INCONCLUSIVE and "n=12 blocks" in found.method


async def test_programs_whose_blocks_take_long_are_looked_at_once(evaluated: Evaluated, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(in_turn, "_LONGEST_S", -1.0)  # what is meant takes a minute here
    clock = Clock()
    clock.ran = unsteady(lambda number: 900_000 if number in {7, 30} else 90_000)
    found = await told_in_programs(evaluated, clock)
    assert found.outcome is SpeedOutcome.INCONCLUSIVE and found.method.endswith("n=5 blocks of ABBA")
