"""What makes an original unfit to judge is named by kernel and line, and its program is run with checks only where nothing says it yet."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace
from typing import Any, cast

import pytest

from assistant.engine.judge.baseline import Baseline, ShownProblems
from assistant.engine.judge.faults import unless_original_is_faulty
from assistant.model.profile import Problem
from assistant.model.verification import CannotJudge, Outcome, Unjudgeable, Verification, VerificationFinding
from tests.unit.engine.test_counting import MAIN, TEXT, Set, Setting, ran, setting

__all__ = ["setting"]

UNWRITTEN = Problem("uninitialised_read", "a read", "/p/sums.cu", 12, None, None, None, None, None, 1, "sums(float const*, float*)")
RACE = replace(UNWRITTEN, kind="shared_race", line=13)
INEXACT = CannotJudge(Unjudgeable.ORIGINAL_INEXACT, "the original's own runs differ", "declare a workload")
NAMED = "the original's own results are arbitrary: shared race in sums on line 13 of sums.cu"


def _baseline(
    on: Setting,
    *problems: Problem,
    is_partial: bool = False,
    guards_intact: bool = True,
    is_derived: bool = False,
    judged: tuple[str, ...] = ("a(float *)",),
) -> Baseline:
    run = SimpleNamespace(problems=problems, guards_intact=guards_intact)
    case = SimpleNamespace(original=(run,), case=SimpleNamespace(new=SimpleNamespace(origin=SimpleNamespace(is_derived=is_derived))))
    counted = SimpleNamespace(run=ran(), is_partial=is_partial, problems=problems)
    return cast(
        "Any", SimpleNamespace(version=on.version, cases=(case,), counted=counted, shown=ShownProblems(), kernels=frozenset(judged))
    )


async def _reason(on: Setting, baseline: Baseline, verdict: CannotJudge = INEXACT) -> str:
    found = await unless_original_is_faulty(on.job, baseline, verdict)
    assert isinstance(found, CannotJudge)
    return found.reason


async def test_a_race_of_another_kernel_is_found_by_one_run_with_checks_for_all_edits(setting: Set) -> None:
    on = setting(TEXT + MAIN, ran(problems=(UNWRITTEN, RACE)))
    baseline = _baseline(on)
    assert [await _reason(on, baseline) for _ in range(2)] == [NAMED, NAMED], "others read what a race has not written yet: it comes first"
    assert [mode for mode, *_ in on.lab.modes] == ["check"]


@pytest.mark.parametrize(
    ("problems", "said"),
    [
        ((), "; the same checks find nothing in a run of B: if it is the fix, go on from B"),
        ((RACE,), "; B is not clean either: shared race in "),
    ],
)
async def test_whether_the_edit_is_clean_is_said_where_a_person_asks(setting: Set, problems: tuple[Problem, ...], said: str) -> None:
    on = setting(TEXT + MAIN, ran(problems=problems))
    found = await unless_original_is_faulty(on.job, _baseline(on, RACE), INEXACT, on.version)
    assert isinstance(found, CannotJudge) and found.reason == NAMED and found.remedy is not None
    assert found.remedy.startswith("fix the original first: kernelopt check ") and said in found.remedy
    assert [mode for mode, *_ in on.lab.modes] == ["check"]


@pytest.mark.parametrize(
    ("problems", "said"),
    [
        ((), "the same checks find nothing in a run of the cell as it is now: if that is the fix, nothing is left to do"),
        ((RACE,), "fix the original first; the cell as it is now is not clean either: shared race in sums on line 13 of sums.cu"),
    ],
)
async def test_a_cell_is_not_sent_to_a_command_that_cannot_read_it(setting: Set, problems: tuple[Problem, ...], said: str) -> None:
    on = setting(TEXT + MAIN, ran(problems=problems))
    path = on.version.source.path.with_name("lab.ipynb.sums.cu")
    cell: Any = SimpleNamespace(source=SimpleNamespace(path=path), kernel_of=on.version.kernel_of)
    baseline = _baseline(on, RACE)
    baseline.version = cell  # type: ignore[misc]
    found = await unless_original_is_faulty(on.job, baseline, INEXACT, on.version)
    assert isinstance(found, CannotJudge) and found.remedy == said


async def test_what_the_cases_show_needs_no_further_run(setting: Set) -> None:
    on = setting()
    assert await _reason(on, _baseline(on, RACE)) == NAMED
    assert await _reason(on, _baseline(on, replace(RACE, kernel="void ns::sums<float>(float*)"))) == NAMED.replace("sums on", "ns::sums on")
    assert await _reason(on, _baseline(on, replace(RACE, kernel=None))) == NAMED.replace(" in sums", "")
    assert on.lab.modes == []


@pytest.mark.parametrize(("code", "is_named"), [("wrote_outside_outputs", True), ("wrong_value", True), ("race", False)])
async def test_an_original_that_writes_beyond_a_buffer_is_named_where_values_alone_failed(setting: Set, code: str, is_named: bool) -> None:
    on = setting()
    failed = Verification(Outcome.FAIL, (VerificationFinding(code, Outcome.FAIL, "it differs"),), (), (), "kernel", (), ())
    found = await unless_original_is_faulty(on.job, _baseline(on, guards_intact=False), failed)
    assert isinstance(found, CannotJudge) == is_named
    assert not is_named or "the original writes beyond the end of a buffer" in cast("CannotJudge", found).reason
    assert await unless_original_is_faulty(on.job, _baseline(on), failed) is failed
    derived = _baseline(on, RACE, guards_intact=False, is_derived=True)
    assert await unless_original_is_faulty(on.job, derived, failed) is failed, "what it does at other sizes is no fault"


@pytest.mark.parametrize(
    ("kind", "outcome", "judged", "is_whole", "is_named"),
    [
        ("out_of_bounds", Outcome.PASS, "a(float *)", False, True),
        ("use_after_free", Outcome.NEEDS_DECISION, "a(float *)", False, True),
        ("out_of_bounds", Outcome.PASS, "b(float *)", False, False),
        ("out_of_bounds", Outcome.PASS, "b(float *)", True, True),
        ("shared_race", Outcome.PASS, "a(float *)", True, False),
        ("uninitialised_read", Outcome.PASS, "a(float *)", True, False),
    ],
)
async def test_an_original_that_reads_beside_its_arrays_passes_nothing(
    setting: Set, kind: str, outcome: Outcome, judged: str, is_whole: bool, is_named: bool
) -> None:
    """Its results are what happens to lie there, if the same for B. Where only the host is compared, that goes for every kernel."""
    on = setting()
    baseline = _baseline(on, replace(RACE, kind=kind, kernel="a(float*)"), judged=(judged,))
    passed = Verification(outcome, (), (), (), "kernel", (), ())
    found = await unless_original_is_faulty(on.job, baseline, passed, is_whole=is_whole)
    assert (found is not passed) == is_named
    if is_named:
        assert isinstance(found, CannotJudge)
        assert found.reason == NAMED.replace("shared race in sums", f"{kind.replace('_', ' ')} in a")


@pytest.mark.parametrize("code", [Unjudgeable.NO_CASE, Unjudgeable.NEEDS_GPU, Unjudgeable.SEVERAL_PROGRAMS])
async def test_another_reason_stands(setting: Set, code: Unjudgeable) -> None:
    on = setting()
    assert await _reason(on, _baseline(on), replace(INEXACT, code=code)) == INEXACT.reason
    assert on.lab.modes == [], "a race would not explain it"


async def test_a_clean_original_and_one_that_takes_too_long_keep_the_reason(setting: Set) -> None:
    on = setting(TEXT + MAIN, ran())
    assert await _reason(on, _baseline(on)) == INEXACT.reason
    assert await _reason(on, _baseline(on, is_partial=True)) == INEXACT.reason
    assert len(on.lab.modes) == 1
