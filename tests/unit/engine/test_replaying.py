"""Why a trial of the original counts or not, what it wrote, and what checks on another device say."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from assistant.engine.evaluate.judged_case import JudgedCase
from assistant.engine.judge.grids import independent_of_grid, leaves_the_same
from assistant.engine.judge.replaying import POISON, CaseTrial, LeftContents, side_run, spaces_of
from assistant.model.launch import Dim3, LaunchConfig
from assistant.model.profile import Problem
from assistant.ports.lab import CaseRun
from assistant.verify.evidence import SideRun
from assistant.workload.recordings import NewCase, blob_name
from tests.unit.workload.launches import launched

CONFIG = LaunchConfig(Dim3(4), Dim3(32))
CASE, PARAMETERS = launched(CONFIG, {"n": 4}, np.zeros(4, np.int32), np.arange(4, dtype=np.float32))
RUN = CaseRun(True, None, (), True, None, (), ())


def problem(kind: str) -> Problem:
    return Problem(kind, f"a {kind}", "k.cu", 3, None, None, None, None, None, 1)


def trial(run: CaseRun | None = RUN, *after: np.ndarray, case: NewCase = CASE) -> CaseTrial:
    return CaseTrial(case, run, tuple((index, values.tobytes()) for index, values in enumerate(after)), is_checked=True)


@pytest.mark.parametrize(
    ("run", "reason"),
    [
        (RUN, None),
        (None, "was not tried"),
        (replace(RUN, error="timed out", guards_intact=False), "does not run: timed out"),
        (replace(RUN, guards_intact=False), "writes beyond the end of a buffer"),
        (replace(RUN, problems=(problem("global_race"), problem("unsupported"))), None),
        (replace(RUN, problems=(problem("global_race"), problem("out_of_bounds"))), "has a problem there: a out_of_bounds"),
    ],
)
def test_a_trial_counts_where_the_original_is_as_clean_as_usual(run: CaseRun | None, reason: str | None) -> None:
    assert trial(run).unclean({"global_race"}) == reason


@pytest.mark.parametrize(
    ("run", "is_unsupported", "is_late", "is_checked"),
    [
        (RUN, False, False, True),
        (None, True, False, False),
        (replace(RUN, problems=(problem("unsupported"),)), True, False, True),
        (replace(RUN, problems=(problem("trap"),)), False, False, True),
        (replace(RUN, error="timed out"), False, True, False),
        (replace(RUN, error="cudaErrorLaunchTimeout"), False, True, False),
        (replace(RUN, error="crashed"), False, False, False),
        (replace(RUN, is_comparable=False), False, False, True),
    ],
)
def test_what_else_a_trial_says(run: CaseRun | None, is_unsupported: bool, is_late: bool, is_checked: bool) -> None:
    one = trial(run)
    assert (one.is_unsupported, one.is_late, one.checked is not None) == (is_unsupported, is_late, is_checked)
    assert replace(one, is_checked=False).checked is None


def test_the_checked_run_is_a_run_on_memory_with_arbitrary_contents() -> None:
    run = replace(RUN, guards_intact=False, repeat_difference="x", problems=(problem("trap"),))
    assert trial(run, np.ones(4, np.int32)).checked == SideRun(((0, np.ones(4, np.int32).tobytes()),), None, 0xAB, False, "x", run.problems)


def test_what_is_written_is_counted_in_components_against_what_stood_there() -> None:
    after = np.array([0, 5, 0, 7], np.int32)
    assert trial(RUN, after, np.arange(4, dtype=np.float32)).written == {0: 2, 1: 0}
    assert trial(RUN, after[:3]).written == {}, "other sizes are not compared"
    first, other = CASE.recording.buffers
    arbitrary = replace(CASE, recording=replace(CASE.recording, buffers=(replace(first, is_poisoned=True), other)))
    stays = np.frombuffer(bytes([POISON]) * 8 + bytes(8), np.int32)
    assert trial(RUN, stays, case=arbitrary).written == {0: 2}


@pytest.mark.parametrize(
    ("error", "problems", "kinds", "left_error"),
    [
        (None, (), [], None),
        ("timed out", (), ["unsupported"], None),
        ("out of memory", (), ["unsupported"], None),
        ("crashed", (), [], "crashed"),
        ("crashed", (problem("unsupported"),), ["unsupported", "unsupported"], None),
        (None, (problem("trap"),), ["trap"], None),
    ],
)
def test_checks_of_another_device_that_did_not_end_say_nothing_of_the_kernel(
    tmp_path: Path, error: str | None, problems: tuple[Problem, ...], kinds: list[str], left_error: str | None
) -> None:
    run = replace(RUN, error=error, problems=problems, is_comparable=False, guards_intact=False)
    side = side_run(run, LeftContents(tmp_path), 0x54)
    assert ([one.kind for one in side.problems], side.error, side.is_comparable) == (kinds, left_error, False)
    assert (side.after, side.fill, side.guards_intact) == ((), 0x54, False)
    if kinds == ["unsupported"]:
        assert side.problems[0].message == f"the emulator's checks of this launch did not end: {error}"
        assert (side.problems[0].line, side.problems[0].count) == (0, 1)


def test_a_run_of_the_labs_own_device_has_contents(tmp_path: Path) -> None:
    (tmp_path / blob_name(b"left")).write_bytes(b"left")
    left = LeftContents(tmp_path)
    run = replace(RUN, after=((0, blob_name(b"left")), (1, blob_name(b"left"))), error="crashed", repeat_difference="x")
    assert side_run(run, left, 0x54) == SideRun(((0, b"left"), (1, b"left")), "crashed", 0x54, True, "x", ())
    assert left.of([(0, blob_name(b"left"))])[0][1] is left.of([(5, blob_name(b"left"))])[0][1], "each content is in memory once"


def test_only_buffers_that_the_launches_reach_count() -> None:
    (launch,) = CASE.recording.launches
    buffers = tuple(replace(one, space=space) for one, space in zip(CASE.recording.buffers, ("device", "host"), strict=True))
    one, other = (replace(launch, index=index, buffers=(state,)) for index, state in enumerate(launch.buffers))
    case = replace(CASE, recording=replace(CASE.recording, buffers=buffers, launches=(one, other)))
    assert spaces_of(replace(case, launches=(0,))) == {"device"} and spaces_of(replace(case, launches=(0, 1))) == {"device", "host"}


SUMS = np.full(4, 1000.0, np.float32)


@pytest.mark.parametrize(
    ("ours", "theirs", "is_same"),
    [
        (SUMS, SUMS * np.float32(1.0009), True),
        (SUMS, SUMS * np.float32(1.0011), False),
        (SUMS, SUMS * np.float32(0.9991), True),
        (SUMS, SUMS[:3], False),
    ],
)
def test_floats_are_the_same_but_for_a_thousandth_of_what_changes(ours: np.ndarray, theirs: np.ndarray, is_same: bool) -> None:
    case, _ = launched(CONFIG, {}, np.zeros(4, np.float32))
    assert leaves_the_same(trial(RUN, ours, case=case), trial(RUN, theirs, case=case)) is is_same
    assert not leaves_the_same(trial(RUN, ours, case=case), trial(RUN, case=case))


def test_memory_with_arbitrary_contents_begins_with_the_pattern() -> None:
    case, _ = launched(CONFIG, {}, np.zeros(4, np.float32))
    (buffer,) = case.recording.buffers
    arbitrary = replace(case, recording=replace(case.recording, buffers=(replace(buffer, is_poisoned=True),)))
    pattern = np.frombuffer(bytes([POISON]) * 16, np.float32)
    ours, theirs = pattern + np.float32(1e-10), pattern + np.float32(1.002e-10)
    assert not leaves_the_same(trial(RUN, ours, case=arbitrary), trial(RUN, theirs, case=arbitrary))
    assert leaves_the_same(trial(RUN, ours, case=arbitrary), trial(RUN, ours + 0, case=arbitrary))


@pytest.mark.parametrize(("least_blocks", "unclean", "kept"), [(1, "", 2), (2, "", 0), (9, "", 0), (1, "out_of_bounds", 0), (1, "trap", 2)])
async def test_a_launch_with_fewer_blocks_counts_where_one_and_all_blocks_leave_the_same(
    least_blocks: int, unclean: str, kept: int
) -> None:
    asked = list[list[int]]()

    def judged(blocks: int, shape: str) -> JudgedCase:
        new = replace(CASE, origin=replace(CASE.origin, kind="smaller_grid", shape=shape))
        few = replace(new.recording.launches[0], config=replace(CONFIG, grid=Dim3(blocks)))
        new = replace(new, recording=replace(new.recording, launches=(few,)))
        return JudgedCase(new, "k", (PARAMETERS,), ((0, "p0"), (1, "p1")), frozenset(), 0, own_grid=Dim3(4))

    async def try_cases(cases: Sequence[NewCase], limit_s: float) -> list[CaseTrial]:
        grids = [case.recording.launches[0].config.grid.x for case in cases]
        asked.append([int(limit_s), *grids])
        run = replace(RUN, problems=(problem(unclean),) if unclean else ())
        return [trial(run, np.full(4, min(least_blocks, grid), np.int32)) for grid in grids]

    found = await independent_of_grid(try_cases, [judged(2, "n=4"), judged(3, "n=4")], {"trap"})
    assert asked == [[10, 4, 1, 2, 3]] and len(found) == kept
    assert all(case.checked is not None for case in found)
    await independent_of_grid(try_cases, [judged(2, "n=4"), judged(3, "n=5")], ())
    assert asked[1:] == [[10, 4, 1, 2], [10, 4, 1, 3]]
