"""Cases at other sizes, alignments and initial memory than the program's: what only they show is an assumption."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from assistant.model.verification import Label, Outcome, Verification
from assistant.verify.evidence import DetectedLabel, JudgeEvidence, SideRun
from assistant.verify.judge import judge
from tests.unit.verify.judged_cases import (
    Buffers,
    Kernel,
    case,
    codes,
    evidence,
    problem,
    scale_add,
    truth,
)


def with_resized(candidate: Kernel) -> JudgeEvidence:
    """Ordinary cases on which B is right, and one smaller size on which it is ``candidate``."""
    base = evidence(scale_add, scale_add)
    smaller = case(scale_add, candidate, seed=9, kind="resized", truth=truth)
    smaller = replace(smaller, origin=replace(smaller.origin, shape="n=511"))
    return replace(base, cases=(*base.cases, smaller))


def test_a_size_on_which_only_the_original_is_right_shows_an_assumption() -> None:
    def beyond(b: Buffers) -> None:
        b["out"][:] = b["x"] * np.float32(2) + b["y"]

    result = judge(with_resized(beyond))
    assert isinstance(result, Verification)
    assert result.outcome is Outcome.NEEDS_DECISION and result.labels == (Label.ASSUMPTION,)
    assert "own sizes; with n=511" in result.findings[0].message
    assert [c.outcome for c in result.cases] == [Outcome.PASS] * 3 + [Outcome.NEEDS_DECISION]


def test_special_values_say_nothing_more_of_a_size_on_which_b_is_wrong_anyway() -> None:
    def beyond(b: Buffers) -> None:
        b["out"][:] = b["x"] * np.float32(2) + b["y"]

    base = with_resized(beyond)
    special = replace(base.cases[-1], origin=replace(base.cases[-1].origin, kind="injected", seed=10))
    result = judge(replace(base, cases=(*base.cases, special)))
    assert isinstance(result, Verification)
    assert [(f.code, f.outcome) for f in result.findings] == [("assumption", Outcome.NEEDS_DECISION)]
    own = replace(special, origin=replace(special.origin, shape=base.cases[0].origin.shape))
    assert "wrote_outside_outputs" in codes(judged_as(replace(base, cases=(*base.cases, own)), "injected"))


def test_a_guard_that_ran_on_shifted_buffers_needs_no_decision() -> None:
    label = DetectedLabel(Label.ALIGNMENT, "assumes the alignment of x")
    base = replace(with_resized(scale_add), labels=(label,))
    assert codes(judged_as(base, "shifted")) == set()
    assert judged_as(base, "shifted").outcome is Outcome.PASS
    untried = judged_as(base, "resized")
    assert untried.outcome is Outcome.NEEDS_DECISION and untried.labels == (Label.ALIGNMENT,)
    another = replace(base, edited=(base.cases[0].kernel, "another"))
    assert Label.ALIGNMENT in judged_as(another, "shifted").labels, "the other kernel's guard was not tried"


def test_a_guard_that_does_not_hold_is_an_assumption_of_alignment() -> None:
    result = judged_as(with_resized(lambda b: None), "shifted")
    assert result.outcome is Outcome.NEEDS_DECISION and result.labels == (Label.ALIGNMENT,)
    assert "aligned to more than their elements" in result.findings[0].message


@pytest.mark.parametrize("kind", ["resized", "shifted"])
def test_other_last_digits_that_the_own_size_has_too_are_no_assumption(kind: str) -> None:
    """Ten times the roundings that are allowed, with a change of precision: one label, at whatever size and place."""

    def rough(b: Buffers) -> None:
        b["out"][: b["out"].size - 1] = (b["x"] * np.float32(2) * np.float32(1 + 3e-6) + b["y"])[:-1]

    label = DetectedLabel(Label.PRECISION, "takes an angle in units of pi")
    last = case(scale_add, rough, seed=9, kind=kind, truth=truth)
    other = replace(last, origin=replace(last.origin, shape="n=511"))
    base = evidence(scale_add, rough, labels=(label,))
    result = judge(replace(base, cases=(*base.cases, other)))
    assert isinstance(result, Verification)
    assert (result.outcome, result.labels, codes(result)) == (Outcome.NEEDS_DECISION, (Label.PRECISION,), {"precision"})


def judged_as(base: JudgeEvidence, kind: str) -> Verification:
    """With the last case of that kind."""
    last = replace(base.cases[-1], origin=replace(base.cases[-1].origin, kind=kind))
    result = judge(replace(base, cases=(*base.cases[:-1], last)))
    assert isinstance(result, Verification)
    return result


def test_memory_that_must_be_zero_is_an_assumption() -> None:
    base = with_resized(lambda b: None)
    dirty = replace(base.cases[-1], origin=replace(base.cases[-1].origin, kind="refilled", shape="n=512, out not zero"))
    result = judge(replace(base, cases=(*base.cases[:-1], dirty)))
    assert isinstance(result, Verification) and result.outcome is Outcome.NEEDS_DECISION
    assert "where memory is zero before the launch, as in this program; with n=512, out not zero" in result.findings[0].message


def test_a_size_on_which_both_are_right_is_one_more_case() -> None:
    result = judge(with_resized(scale_add))
    assert isinstance(result, Verification) and result.outcome is Outcome.PASS and len(result.cases) == 4


def test_a_new_defect_at_another_size_is_an_assumption_too() -> None:
    base = with_resized(scale_add)
    racy = tuple(replace(run, problems=(problem("barrier_divergence", 12),)) for run in base.cases[-1].candidate)
    result = judge(replace(base, cases=(*base.cases[:-1], replace(base.cases[-1], candidate=racy))))
    assert isinstance(result, Verification)
    assert [(f.code, f.outcome, f.line) for f in result.findings] == [("assumption", Outcome.NEEDS_DECISION, 12)]


@pytest.mark.parametrize("kind", ["possible_missing_fence", "missing_wait"])
def test_a_defect_at_every_size_is_not_said_to_be_one_of_another_size(kind: str) -> None:
    base = with_resized(scale_add)
    doubtful = (problem(kind, 12),)
    cases = tuple(replace(c, candidate=tuple(replace(run, problems=doubtful) for run in c.candidate)) for c in base.cases)
    result = judge(replace(base, cases=cases))
    assert isinstance(result, Verification)
    assert (result.outcome, codes(result), result.labels) == (Outcome.NEEDS_DECISION, {kind}, ())


def test_a_size_that_cannot_judge_or_breaks_the_original_does_not_count() -> None:
    base = with_resized(lambda b: None)
    idle = case(lambda b: None, scale_add, seed=9, kind="resized")
    broken = replace(base.cases[-1], original=(SideRun((), error="crashed"),))
    for unusable in (idle, broken):
        result = judge(replace(base, cases=(*base.cases[:-1], unusable)))
        assert isinstance(result, Verification) and result.outcome is Outcome.PASS
        assert len(result.cases) == 3 and result.dropped_cases[0].startswith("resized")
