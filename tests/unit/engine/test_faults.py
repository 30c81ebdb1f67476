"""What makes an original unfit to judge is named by kernel and line, and its program is run with checks only where nothing says it yet."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace
from typing import Any, cast

import pytest

from assistant.engine.judge.baseline import Baseline, ShownProblems
from assistant.engine.judge.faults import unless_original_is_faulty
from assistant.model.profile import Problem
from assistant.model.verification import CannotJudge, Unjudgeable
from tests.unit.engine.test_counting import MAIN, TEXT, Set, Setting, ran, setting

__all__ = ["setting"]

UNWRITTEN = Problem("uninitialised_read", "a read", "/p/sums.cu", 12, None, None, None, None, None, 1, "sums(float const*, float*)")
RACE = replace(UNWRITTEN, kind="shared_race", line=13)
INEXACT = CannotJudge(Unjudgeable.ORIGINAL_INEXACT, "the original's own runs differ", "declare a workload")
NAMED = "the original's own results are arbitrary: shared race in sums on line 13 of sums.cu"


def _baseline(on: Setting, *problems: Problem, is_partial: bool = False) -> Baseline:
    case = SimpleNamespace(original=(SimpleNamespace(problems=problems),))
    counted = SimpleNamespace(run=ran(), is_partial=is_partial)
    return cast("Any", SimpleNamespace(version=on.version, cases=(case,), counted=counted, shown=ShownProblems()))


async def _reason(on: Setting, baseline: Baseline, verdict: CannotJudge = INEXACT) -> str:
    found = await unless_original_is_faulty(on.job, baseline, verdict)
    assert isinstance(found, CannotJudge)
    return found.reason


async def test_a_race_of_another_kernel_is_found_by_one_run_with_checks_for_all_edits(setting: Set) -> None:
    on = setting(TEXT + MAIN, ran(problems=(UNWRITTEN, RACE)))
    baseline = _baseline(on)
    assert [await _reason(on, baseline) for _ in range(2)] == [NAMED, NAMED], "others read what a race has not written yet: it comes first"
    assert [mode for mode, *_ in on.lab.modes] == ["check"]


async def test_what_the_cases_show_needs_no_further_run(setting: Set) -> None:
    on = setting()
    assert await _reason(on, _baseline(on, RACE)) == NAMED
    assert await _reason(on, _baseline(on, replace(RACE, kernel="void ns::sums<float>(float*)"))) == NAMED.replace("sums on", "ns::sums on")
    assert await _reason(on, _baseline(on, replace(RACE, kernel=None))) == NAMED.replace(" in sums", "")
    assert on.lab.modes == []


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
