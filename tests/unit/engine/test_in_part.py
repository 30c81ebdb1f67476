"""Programs that take too long to be run whole: what is told of them, and what a verdict on some of their blocks rests on."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from assistant.engine.evaluate import KernelAssessment
from assistant.engine.evaluate.judged_case import JudgedCase
from assistant.engine.judge.baseline import PreparedCase
from assistant.engine.judge.in_part import JudgedInPart, judged_in_part
from assistant.engine.judge.own_blocks import CaseOfBoth, comparable, missed_ratio, with_own_blocks
from assistant.engine.judge.replaying import FloatReference
from assistant.engine.report.reports import profile_event, summary_event
from assistant.engine.report.sampling import report_uncounted, sampling_in_words
from assistant.engine.request import JobRequest
from assistant.measure.targets import target
from assistant.model.launch import Dim3, LaunchConfig
from assistant.model.profile import Severity
from assistant.model.verification import Label, Outcome
from assistant.ports.lab import Lab
from assistant.profile.bottleneck import NOT_COUNTED
from assistant.profile.findings import FindResult
from assistant.verify.evidence import SideRun
from assistant.workload.chosen_blocks import chosen_in, with_chosen_blocks
from assistant.workload.recordings import NewCase
from tests.unit.engine.commands import MANY, SCALE, Commands
from tests.unit.engine.conftest import Assess
from tests.unit.workload.launches import launched

SLOW = SCALE + MANY
BEFORE = np.zeros(64, np.float32)
BLOCK = 8
"""Values that one block of A writes."""


def started(blocks: int, *chosen: int, threads: int = BLOCK) -> NewCase:
    new, _ = launched(LaunchConfig(Dim3(blocks), Dim3(threads)), {"n": 64}, BEFORE)
    return with_chosen_blocks(new, chosen)


def left(*places: slice, by: float = 1.0) -> np.ndarray:
    """Ones where something was written."""
    values = BEFORE.copy()
    for place in places:
        values[place] = by
    return values


def run(values: np.ndarray) -> SideRun:
    return SideRun(((0, values.tobytes()),))


FIRST, LAST, SECOND = slice(0, 8), slice(56, 64), slice(8, 16)
ORIGINAL = left(FIRST, LAST)
"""What blocks 0 and 7 of 8 write."""


def case(mine: SideRun, new: NewCase | None = None, original: SideRun | None = None) -> CaseOfBoth:
    own = started(8, 0, 7)
    _, parameters = launched(own.recording.launches[0].config, {"n": 64}, BEFORE)
    judged = JudgedCase(own, "k(float *, int)", (parameters,), ((0, "x"),), frozenset(), 0)
    return CaseOfBoth(PreparedCase(judged, (original or run(ORIGINAL),), FloatReference(), ()), new or own, (mine,))


def kept(mine: np.ndarray, new: NewCase | None = None, *, are_sums_shared: bool = False) -> list[float] | None:
    """What is held against the original's; None where nothing can be said."""
    found = comparable([case(run(mine), new)], are_sums_shared=are_sums_shared)
    if not found:
        return None
    (contents,) = (each.side[0].contents(0) for each in found)
    assert contents is not None
    return np.frombuffer(contents, np.float32).tolist()


def test_the_same_blocks_of_the_same_grid_are_compared_as_they_are() -> None:
    for mine in (ORIGINAL, left(FIRST, LAST, by=2.0), left(FIRST), left(FIRST, SECOND, LAST)):
        assert kept(mine) == mine.tolist(), "wrong values, missing ones and further ones alike are B's own"


def test_of_the_same_grid_in_another_order_nothing_can_be_said() -> None:
    assert kept(left(FIRST, SECOND)) is None


def test_blocks_of_another_grid_are_compared_where_those_of_a_write() -> None:
    wide = started(4, 0, 3, threads=2 * BLOCK)
    whole = left(slice(0, 16), slice(48, 64), by=3.0)
    assert kept(whole, wide) == left(FIRST, LAST, by=3.0).tolist()
    assert kept(left(FIRST), wide) is None, "they leave out what A's write, so that they may do another part of the work"
    taller = replace(wide, recording=replace(wide.recording, launches=started(8, 0, 7, threads=16).recording.launches))
    assert kept(left(FIRST, SECOND, LAST), taller) == ORIGINAL.tolist(), "as many blocks of another size are others, too"


def test_where_blocks_add_to_shared_sums_a_difference_may_be_another_share() -> None:
    assert kept(left(FIRST, LAST, by=2.0), are_sums_shared=True) is None
    assert kept(ORIGINAL, are_sums_shared=True) == ORIGINAL.tolist()


def test_what_fails_is_never_left_out() -> None:
    for mine, original in ((SideRun((), error="crashed"), run(ORIGINAL)), (run(left(FIRST)), SideRun((), error="crashed"))):
        for are_sums_shared in (False, True):
            one = case(mine, started(4, 0, 3, threads=16), original)
            assert comparable([one], are_sums_shared=are_sums_shared) == [one]


def test_runs_of_another_device_without_contents_are_passed_over() -> None:
    elsewhere = replace(run(ORIGINAL), after=(), is_comparable=False)
    one = case(run(ORIGINAL))
    after_it = replace(one, item=replace(one.item, original=(elsewhere, run(ORIGINAL))), side=(elsewhere, *one.side))
    assert comparable([after_it], are_sums_shared=False) == [after_it]
    assert comparable([replace(after_it, side=(elsewhere,))], are_sums_shared=False) == [], "of B nothing can be said"


def test_launches_that_ran_whole_are_never_left_out() -> None:
    one = case(run(left(SECOND)))
    new = started(8)
    whole = replace(one, item=replace(one.item, case=replace(one.item.case, new=new)), new=new)
    assert comparable([whole], are_sums_shared=True) == [whole]


def test_how_much_of_what_a_writes_b_leaves_out() -> None:
    item = case(run(ORIGINAL)).item
    for mine, ratio in ((ORIGINAL, 0.0), (left(FIRST), 0.5), (BEFORE, 1.0), (left(slice(0, 64)), 0.0)):
        assert missed_ratio(item.case, item.original[0], {0: mine.tobytes()}) == ratio
    for unknown in ({}, {0: b"1234"}, {0: ORIGINAL.tobytes() * 2}):
        assert missed_ratio(item.case, item.original[0], unknown) == float("inf")


@pytest.mark.parametrize(
    ("blocks", "choices"),
    [(8, [(0, 7)]), (4, [(0, 3)]), (16, [(0, 1, 14, 15), (0, 7)]), (1, [(0,)])],
)
def test_blocks_of_another_grid_that_may_do_the_same_work(blocks: int, choices: list[tuple[int, ...]]) -> None:
    assert [chosen_in(new) for new in with_own_blocks(started(8, 0, 7), started(blocks, 0, 7))] == choices


async def test_a_verdict_on_some_blocks_names_no_other_size_at_which_no_others_ran(tmp_path: Path) -> None:
    on = Commands(tmp_path)
    await on.compare(SLOW, SLOW.replace("if (i < n)", "if (i < n && i != n / 3)"))  # wrong in a block that does not run
    assert on.ending.reason.startswith("PASS (judged on 8 of 32 blocks at the program's own size n=1000; ")
    await on.compare(SLOW, SLOW.replace("if (i < n)", "if (i < n - 1)"))  # wrong in the last block, which always runs
    assert on.ending.reason == "FAIL: B is not equivalent to A"


def ran(first_partial: int | None = 0, count: int = 1) -> Any:
    """A run of a program that launched ``count`` kernels, of which those from ``first_partial`` were cut."""
    recording = SimpleNamespace(first_partial=first_partial, shape_counts=(SimpleNamespace(count=count),))
    return SimpleNamespace(is_partial=first_partial is not None, recording=recording)


def version(text: str = "k") -> Any:
    return SimpleNamespace(sources=(SimpleNamespace(text=text),))


def judged(*cases: CaseOfBoth, of_a: Any = None, of_b: Any = None, text: str = "k") -> JudgedInPart:
    baseline: Any = SimpleNamespace(version=version(), counted=of_a or ran())
    return judged_in_part(baseline, version(text), of_b or ran(), cases)


def at(one: CaseOfBoth, new: NewCase, kind: str = "recorded", shape: str = "n=64") -> CaseOfBoth:
    new = replace(new, origin=replace(new.origin, kind=kind, shape=shape, is_own_size=kind == "recorded"))
    return replace(one, item=replace(one.item, case=replace(one.item.case, new=new)), new=new)


RIGHT = at(case(run(ORIGINAL)), started(8, 0, 7))
REORDERED = at(case(run(left(FIRST, SECOND))), started(8, 0, 7))
WIDER = replace(RIGHT, new=started(4, 0, 3, threads=2 * BLOCK), side=(run(left(slice(0, 16), slice(48, 64))),))
"""Blocks that do twice the work of A's each."""
SMALLER = at(case(run(ORIGINAL)), started(4), "resized", "n=32")
PROBED = at(case(run(ORIGINAL)), started(8, 0, 7), "resized", "n=63")


def test_of_programs_that_ran_whole_every_case_counts_and_nothing_is_said() -> None:
    whole = ran(None)
    assert judged(RIGHT, REORDERED, of_a=whole, of_b=whole) == JudgedInPart((RIGHT, REORDERED))
    for of_a, of_b in ((ran(), whole), (whole, ran())):
        assert judged(RIGHT, of_a=of_a, of_b=of_b).is_partial


@pytest.mark.parametrize(
    ("cases", "words"),
    [
        ((RIGHT, PROBED), "judged on 2 of 8 blocks at the program's own size n=64"),
        ((RIGHT, PROBED, SMALLER), "judged at n=32, not at the program's own size n=64, of which 2 of 8 blocks were compared"),
        ((WIDER, SMALLER), "judged at n=32, not at the program's own size n=64, of which 2 of 8 blocks were compared"),
        ((REORDERED, SMALLER), "judged at n=32, not at the program's own size n=64"),
        ((REORDERED,), "not judged at the program's own size n=64"),
    ],
)
def test_a_verdict_says_at_what_sizes_and_on_which_blocks(cases: tuple[CaseOfBoth, ...], words: str) -> None:
    found = judged(*cases)
    assert found.caveats == (words,) and [label.message for label in found.labels] == [words]
    assert found.labels[0].label is Label.IN_PART and len(found.missing) == 1 and found.is_partial


def test_where_nothing_was_compared_at_the_own_size_a_person_decides_and_the_smaller_one_leads() -> None:
    found = judged(REORDERED, SMALLER)
    (finding,) = found.findings
    assert (finding.code, finding.outcome, found.is_led_by_smaller) == ("own_size_not_compared", Outcome.NEEDS_DECISION, True)
    leads = [one.item.case.new.origin for one in found.cases if one.item.case.new.origin.is_own_size]
    assert [(origin.kind, origin.shape) for origin in leads] == [("recorded", "n=32")]
    assert not judged(WIDER, SMALLER).findings, "larger blocks are no other part of the work"
    assert not judged(RIGHT, SMALLER).is_led_by_smaller and judged(RIGHT, SMALLER).cases == (RIGHT, SMALLER)


@pytest.mark.parametrize(
    ("text", "count"),
    [("atomicAdd(x, 1)", 0), ("cuda::atomic_ref<int>", 0), ('asm("red.add")', 0), ("int atomics", 1), ("k", 1)],
)
def test_other_values_of_some_blocks_tell_nothing_where_blocks_add_to_one_value(text: str, count: int) -> None:
    other = at(case(run(left(FIRST, LAST, by=2.0))), started(8, 0, 7))
    assert len(judged(other, text=text).cases) == count


def test_of_a_series_the_shorter_run_says_how_many_launches_were_judged() -> None:
    for runs in ((ran(3, 10), ran(5, 10)), (ran(5, 10), ran(3, 10)), (ran(3, 10), ran(None))):
        assert judged(of_a=runs[0], of_b=runs[1]).caveats == ("on the first 3 of 10 launches",)
    assert judged(of_a=ran(0, 10)).caveats == ("judged in part: what reaches the host not compared",)
    assert judged(RIGHT, of_a=ran(3, 10), of_b=ran(3, 10)).caveats[1:] == ("on the first 3 of 10 launches",)


async def test_whoever_asks_for_every_block_has_all_of_it_run(tmp_path: Path) -> None:
    on = Commands(tmp_path)
    await on.hear(on.session.profile(on.request(SLOW, sample_blocks=0)))
    assert on.said == [] and on.ending.exit_code == 0


@pytest.mark.parametrize(
    ("blocks", "launches", "made", "words"),
    [
        (32, 3, 3, None),
        (0, 3, 3, None),
        (8, 3, 3, "counted on 8 of 32 blocks"),
        (32, 2, 3, "counted on 2 of 3 launches"),
        (8, 2, 1300, "counted on 8 of 32 blocks in 2 of 1,300 launches"),
    ],
)
def test_what_was_counted_of_a_launch_shape_is_said_where_it_was_not_all(
    assessed: Assess, blocks: int, launches: int, made: int, words: str | None
) -> None:
    (kernel,) = assessed(blocks=32, blocks_counted=blocks, count=float(made))
    head = "grid (32, 1, 1), block (64, 1, 1): "
    assert sampling_in_words(kernel.launches[0], launches) == (None if words is None else f"{head}{words}; scaled, so estimated")


async def test_of_a_series_that_takes_too_long_it_is_said_which_launches_were_checked(tmp_path: Path) -> None:
    on = Series(tmp_path)
    await on.hear(on.session.check(on.request(SLOW)))
    assert any("checked 1 of 7 launches, the first ones; the others were not checked" in words for words in on.said), on.said
    await on.hear(on.session.profile(on.request(SLOW)))
    assert any("counted on 9 of 32 blocks in 1 of 7 launches; scaled, so estimated" in words for words in on.said), on.said


class Series(Commands):
    """A program that launches its kernel seven times, of which the first ran in part and the others were left out."""

    def _open_lab(self, request: JobRequest, scratch: Path, target: str) -> Lab:
        lab: Any = super()._open_lab(request, scratch, target)
        run = lab.run

        async def seven(*given: Any, **named: Any) -> Any:
            made = await run(*given, **named)
            shapes = tuple(replace(shape, count=7) for shape in made.recording.shape_counts)
            other = replace(made.profiles[0], kernel="zero(float*)", index=9)  # of another kernel
            recording = replace(made.recording, shape_counts=shapes)
            return replace(made, recording=recording, launch_count=7, profiles=(*made.profiles, other))

        lab.run = seven
        return lab


def _warned(kernels: tuple[KernelAssessment, ...], *unsupported: str) -> list[str]:
    said: list[str] = []

    def say(_: Severity, text: str, remedy: str) -> None:
        said.append(f"{text}; {remedy}")

    job: Any = SimpleNamespace(say=say)
    counted: Any = SimpleNamespace(run=SimpleNamespace(unsupported=unsupported))
    report_uncounted(job, counted, kernels)
    return said


def test_a_kernel_of_which_nothing_was_counted_is_named_with_what_follows(assessed: Assess) -> None:
    assert _warned(assessed()) == []
    (text,) = _warned(assessed(blocks_counted=0))
    assert "k(float" in text and "none of its launches was counted: the emulator came to the end of no block in its time; no time" in text
    assert "smaller arguments" in text
    (text,) = _warned(assessed(blocks_counted=0), "not modelled: texture fetches, so that launches with them have no counters")
    assert "in its time" not in text, "the run says why"


def test_no_time_is_predicted_of_what_was_not_counted(assessed: Assess) -> None:
    job: Any = SimpleNamespace(id="J", target=target("h200"), device=None, request=JobRequest(Path("/k.cu"), Path("/")))
    for blocks, is_known in ((4, True), (0, False)):
        (item,) = assessed(blocks_counted=blocks)
        summary = summary_event(job, item, item.launches[0])
        assert (summary.predicted_time_s is not None) is is_known and (summary.bottleneck != NOT_COUNTED) is is_known
        assert (profile_event(job, item, item.launches[0], FindResult((), ())).predicted is not None) is is_known
