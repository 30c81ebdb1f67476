"""What the cases cannot judge: kernels that none launches, originals that fail, workloads that a useless kernel would pass."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from assistant.model.verification import CannotJudge, Outcome, Unjudgeable, Verification
from assistant.model.workload import AutoTolerance
from assistant.verify.evidence import CaseEvidence, JudgeEvidence, Reference, SideRun
from assistant.verify.judge import judge
from tests.unit.verify.judged_cases import (
    Buffers,
    Kernel,
    N,
    case,
    codes,
    evidence,
    scale_add,
    truth,
)


def test_numbers_that_a_kernel_is_passed_are_inputs_too() -> None:
    def ramp(scale: float) -> Kernel:
        return lambda b: b["out"].__setitem__(slice(None), np.arange(N) * np.float32(scale))

    def judged(*scales: float) -> object:
        made = (case(ramp(scale), ramp(scale), kind="recorded" if at == 0 else "repassed") for at, scale in enumerate(scales))
        return judge(JudgeEvidence(tuple(replace(one, passed=(str(at),)) for at, one in enumerate(made)), AutoTolerance()))

    result, blind = judged(1.0, 1.5), judged(1.0, 1.0)
    assert isinstance(result, Verification) and result.outcome is Outcome.PASS
    assert isinstance(blind, CannotJudge) and blind.code is Unjudgeable.WEAK_WORKLOAD


@pytest.mark.parametrize(("scales", "is_judged"), [((1.0, 1.0), False), ((1.0, 1.5), True)])
def test_launches_of_two_seeds_judge_what_reads_no_data(scales: tuple[float, ...], is_judged: bool) -> None:
    """The draws change only what stood in the results' memory before."""

    def ramp(scale: float) -> Kernel:
        return lambda b: b["out"].__setitem__(slice(None), np.arange(N) * np.float32(scale))

    def launched(at: int, kind: str) -> CaseEvidence:
        made = case(ramp(scales[at]), ramp(scales[at]), kind=kind, seed=7 * at + len(kind))
        return replace(made, passed=(str(at),), origin=replace(made.origin, shape=f"seed={at}"))

    result = judge(JudgeEvidence(tuple(launched(at, kind) for at in (0, 1) for kind in ("recorded", "dense")), AutoTolerance()))
    assert isinstance(result, Verification) == is_judged, result


def two_kernels(edited: tuple[str, ...]) -> JudgeEvidence:
    """Kernel k with cases that can judge it, and ``fill``, which writes one constant."""
    strong = evidence(scale_add, scale_add)
    weak = replace(case(lambda b: b["out"].fill(3), lambda b: b["out"].fill(3)), kernel="fill")
    return replace(strong, cases=(*strong.cases, weak), edited=edited)


def test_an_edited_kernel_that_no_case_can_judge_is_not_covered_by_another() -> None:
    result = judge(two_kernels(("fill", "k")))
    assert isinstance(result, Verification)
    (finding,) = result.findings
    assert (finding.code, finding.kernel, finding.outcome) == ("not_judged", "fill", Outcome.NEEDS_DECISION)
    assert isinstance(judge(two_kernels(("fill",))), CannotJudge)


def test_an_unedited_kernel_that_no_case_can_judge_is_only_noted() -> None:
    result = judge(two_kernels(("k",)))
    assert isinstance(result, Verification) and result.outcome is Outcome.PASS
    assert any("cannot judge fill" in missing for missing in result.missing_checks)


def test_an_edited_kernel_that_no_case_launches_is_named() -> None:
    result = judge(replace(evidence(scale_add, scale_add), edited=("k", "other")))
    assert isinstance(result, Verification)
    (finding,) = result.findings
    assert (finding.code, finding.kernel) == ("not_judged", "other")


def test_a_kernel_launched_after_another_is_judged_by_that_case() -> None:
    base = evidence(scale_add, scale_add)
    cases = tuple(replace(c, further_kernels=("second",)) for c in base.cases)
    result = judge(replace(base, cases=cases, edited=("second",)))
    assert isinstance(result, Verification) and result.outcome is Outcome.PASS


def test_a_derived_case_on_which_the_original_fails_is_dropped_and_listed() -> None:
    base = evidence(scale_add, scale_add)
    broken = replace(base.cases[2], original=(SideRun((), error="crashed"),), candidate=(SideRun((), error="crashed"),))
    result = judge(replace(base, cases=(*base.cases[:2], broken)))
    assert isinstance(result, Verification) and result.outcome is Outcome.PASS
    assert len(result.cases) == 2 and "crashed" in result.dropped_cases[0]


def test_an_original_that_fails_on_its_own_values_cannot_be_judged_by() -> None:
    base = evidence(scale_add, scale_add)
    broken = replace(base.cases[0], original=(SideRun((), error="crashed"),))
    assert isinstance(judge(replace(base, cases=(broken, *base.cases[1:]))), CannotJudge)


def test_an_original_that_reads_poison_cannot_be_judged_by() -> None:
    def accumulates(b: Buffers) -> None:
        b["out"] += b["x"]

    def counts(b: Buffers) -> None:
        b["out"] += 1

    assert isinstance(judge(JudgeEvidence((case(counts, counts, out=np.zeros(N, np.int32)),), AutoTolerance())), CannotJudge)
    assert isinstance(judge(JudgeEvidence((case(accumulates, accumulates),), AutoTolerance())), CannotJudge)


@pytest.mark.parametrize(
    ("kernel", "words"),
    [
        (lambda b: None, "changes no memory"),
        (lambda b: b["out"].fill(0), "writes zeros"),
        (lambda b: b["out"].fill(3), "writes one constant"),
        (lambda b: b["out"].__setitem__(slice(None), np.arange(N)), "ignores its input"),
    ],
)
def test_a_workload_on_which_a_trivial_kernel_passes_cannot_judge(kernel: Kernel, words: str) -> None:
    cases = tuple(case(kernel, kernel, seed=s) for s in (1, 2, 3))
    result = judge(JudgeEvidence(cases, AutoTolerance()))
    assert isinstance(result, CannotJudge) and result.code is Unjudgeable.WEAK_WORKLOAD and words in result.reason


def test_a_weak_workload_still_shows_that_a_kernel_is_wrong() -> None:
    cases = tuple(case(lambda b: b["out"].fill(3), lambda b: b["out"].fill(4), seed=s) for s in (1, 2))
    result = judge(JudgeEvidence(cases, AutoTolerance()))
    assert isinstance(result, Verification) and codes(result) == {"wrong_value"}


def test_a_kernel_that_cannot_be_judged_next_to_one_that_can_is_listed() -> None:
    base = evidence(scale_add, scale_add)
    fill = tuple(replace(case(lambda b: b["out"].fill(3), lambda b: b["out"].fill(3), seed=s), kernel="fill") for s in (1, 2))
    result = judge(replace(base, cases=(*base.cases, *fill)))
    assert isinstance(result, Verification) and result.outcome is Outcome.PASS
    assert "cannot judge fill" in result.missing_checks[0]


def test_an_original_far_from_its_declared_reference_cannot_be_judged_by() -> None:
    base = case(scale_add, scale_add, truth=lambda b: truth(b) + 1)
    result = judge(JudgeEvidence((replace(base, reference_kind=Reference.DECLARED),), AutoTolerance()))
    assert isinstance(result, CannotJudge) and result.code is Unjudgeable.ORIGINAL_INEXACT


def test_nothing_to_judge_on_is_said() -> None:
    assert isinstance(judge(JudgeEvidence((), AutoTolerance())), CannotJudge)
