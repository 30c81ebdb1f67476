"""Launches that fail, and problems that the emulator reports: what a candidate brought counts, what the original has too does not."""

from __future__ import annotations

from dataclasses import replace

import pytest

from assistant.model.profile import Problem
from assistant.model.verification import CannotJudge, Label, Outcome, Verification
from assistant.verify.evidence import JudgeEvidence, SideRun
from assistant.verify.judge import judge
from assistant.verify.lines import LinePairs, Text, TextPair
from assistant.verify.problems import ASSUMPTIONS, WEIGHTS, Weight
from tests.unit.verify.judged_cases import (
    codes,
    evidence,
    problem,
    scale_add,
)


def test_a_failing_launch_fails() -> None:
    base = evidence(scale_add, scale_add)
    broken = replace(base.cases[1], candidate=(SideRun((), error="cudaErrorInvalidConfiguration"),))
    result = judge(replace(base, cases=(base.cases[0], broken)))
    assert isinstance(result, Verification) and codes(result) == {"launch_failed"}


@pytest.mark.parametrize(("error", "code"), [("crashed", "crashed"), ("timed out", "timed_out")])
def test_a_crash_and_a_timeout_have_their_own_codes(error: str, code: str) -> None:
    base = evidence(scale_add, scale_add)
    result = judge(replace(base, cases=(replace(base.cases[0], candidate=(SideRun((), error=error),)),)))
    assert isinstance(result, Verification) and codes(result) == {code}


def with_problems(a: tuple[Problem, ...], b: tuple[Problem, ...]) -> JudgeEvidence:
    base = evidence(scale_add, scale_add)
    changed = tuple(
        replace(
            c,
            original=tuple(replace(r, problems=a) for r in c.original),
            candidate=tuple(replace(r, problems=b) for r in c.candidate),
        )
        for c in base.cases
    )
    return replace(base, cases=changed)


def test_a_new_race_fails_with_its_line() -> None:
    result = judge(with_problems((), (problem("shared_race", 12),)))
    assert isinstance(result, Verification)
    (finding,) = result.findings
    assert (finding.code, finding.line, finding.outcome) == ("race", 12, Outcome.FAIL)


RACY = "__global__ void k() {\n  tile[t] = in[i];\n  tile[t + 1] = in[i + 1];\n  sum += tile[0];\n  out[i] = sum;\n}\n"


def race_verdict(after: str, old: tuple[int, int], new: tuple[int, int], kind: str = "shared_race") -> Verification:
    """A races on the lines ``old`` of RACY, B on the lines ``new`` of ``after``."""
    a, b = (
        replace(problem(kind, first), file=file, other_file=file, other_line=second) for file, (first, second) in (("a", old), ("b", new))
    )
    lines = LinePairs((TextPair(Text("a", RACY), Text("b", after)),))
    result = judge(replace(with_problems((a,), (b,)), lines=lines))
    assert isinstance(result, Verification)
    return result


@pytest.mark.parametrize(
    ("after", "new"),
    [
        (RACY, (2, 4)),
        (RACY, (4, 2)),
        ("// a note\n\n" + RACY, (4, 6)),
        (RACY.replace("  tile[t] = in[i];\n", "").replace("  out", "  tile[t] = in[i];  // moved\n  out"), (4, 3)),
        (RACY.replace("tile[t] =", "tile[threadIdx.x] ="), (2, 4)),
    ],
    ids=["untouched", "seen from the other side", "shifted", "moved", "rewritten"],
)
def test_a_race_that_the_original_has_there_too_does_not_count(after: str, new: tuple[int, int]) -> None:
    assert race_verdict(after, (2, 4), new).outcome is Outcome.PASS


def test_one_race_is_not_swapped_for_another() -> None:
    result = race_verdict(RACY, (2, 4), (3, 4))
    (finding,) = result.findings
    assert (finding.code, finding.line, finding.outcome) == ("race", 3, Outcome.FAIL)
    assert "the original has a problem of this kind on line 2, but not here" in finding.message


def test_a_race_that_becomes_only_possible_is_not_new() -> None:
    racy, milder = problem("shared_race", 12), problem("possible_shared_race", 12)
    result = judge(with_problems((racy,), (milder,)))
    assert isinstance(result, Verification) and result.outcome is Outcome.PASS


def test_a_case_with_a_new_problem_has_not_passed() -> None:
    base = with_problems((), ())
    racy = tuple(replace(run, problems=(problem("shared_race", 12),)) for run in base.cases[1].candidate)
    result = judge(replace(base, cases=(base.cases[0], replace(base.cases[1], candidate=racy), base.cases[2])))
    assert isinstance(result, Verification)
    assert [c.outcome for c in result.cases] == [Outcome.PASS, Outcome.FAIL, Outcome.PASS]


def test_a_possible_race_asks_the_human() -> None:
    result = judge(with_problems((), (problem("possible_global_race", 12),)))
    assert isinstance(result, Verification)
    assert (result.outcome, codes(result)) == (Outcome.NEEDS_DECISION, {"possible_race"})


@pytest.mark.parametrize("kind", sorted({*WEIGHTS, "a_kind_of_tomorrow"}))
def test_a_new_problem_weighs_as_the_table_says(kind: str) -> None:
    result = judge(with_problems((), (problem(kind, 12),)))
    assert isinstance(result, Verification)
    weight = WEIGHTS.get(kind, Weight(Outcome.FAIL))
    (finding,) = result.findings
    assert (finding.code, finding.outcome, finding.line) == (weight.code or kind, weight.outcome, 12)
    assert (Label.ASSUMPTION in result.labels) == (kind in ASSUMPTIONS)
    known = judge(with_problems((problem(kind, 12),), (problem(kind, 12),)))
    assert isinstance(known, Verification) and known.outcome is Outcome.PASS and not known.labels


def test_what_a_run_shows_only_possibly_never_fails_an_edit() -> None:
    doubtful = {kind for kind in WEIGHTS if kind.startswith("possible_")} | ASSUMPTIONS
    assert {WEIGHTS[kind].outcome for kind in doubtful} == {Outcome.NEEDS_DECISION}


def test_the_other_end_of_a_problem_is_named() -> None:
    missing = replace(problem("missing_fence", 12), other_file="k.cu", other_line=7)
    result = judge(with_problems((), (missing,)))
    assert isinstance(result, Verification)
    assert result.findings[0].message.startswith("missing_fence on line 12; the other access is on line 7")


def test_what_the_lab_cannot_do_is_no_defect_of_the_kernel() -> None:
    passing = judge(with_problems((), (problem("unsupported", 12),)))
    assert isinstance(passing, Verification) and passing.outcome is Outcome.PASS
    assert passing.missing_checks == ("unsupported on line 12",)
    assert passing.caveats == ("not every check ran to its end",), "the verdict line says so"
    base = evidence(scale_add, scale_add)
    stuck = (SideRun((), error="crashed", problems=(problem("unsupported", 12),)),)
    assert isinstance(judge(replace(base, cases=(replace(base.cases[0], candidate=stuck),))), CannotJudge)


def test_a_damaged_guard_zone_is_out_of_bounds() -> None:
    base = evidence(scale_add, scale_add)
    runs = tuple(replace(run, guards_intact=False) for run in base.cases[0].candidate)
    result = judge(replace(base, cases=(replace(base.cases[0], candidate=runs), base.cases[1])))
    assert isinstance(result, Verification) and codes(result) == {"out_of_bounds"}
