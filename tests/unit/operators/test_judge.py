"""Verdicts on what candidates left, made of values by hand."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from assistant.model.verification import CannotJudge, Label, Outcome, Unjudgeable, Verification
from assistant.operators.evidence import CandidateCase, Evidence, Failure, Pass, ReferenceCase, Seen, TensorLeft
from assistant.operators.judge import judge
from assistant.operators.tampering import Tampering

SIZE = 64


def tensor(values: Any) -> TensorLeft:
    array = np.asarray(values, np.float32)
    return TensorLeft("float32", array.shape, (1,), array.tobytes())


def draw(seed: int) -> Any:
    return np.random.default_rng(seed).standard_normal(SIZE)


def reference(seed: int, kind: str = "given") -> ReferenceCase:
    wide = draw(seed)
    left = tensor(wide)
    double = TensorLeft("float64", (SIZE,), (1,), wide.astype(np.float64).tobytes())
    return ReferenceCase(kind, 1.0, "float32[64]", seed, (left,), (left,), 1, (double,), (), (f"in {seed}",), 2.0)


def passed(case: ReferenceCase, **changes: Any) -> Pass:
    return replace(Pass(None, case.outputs, 1, case.inputs_after, work=(("calls", 1),)), **changes)


def evidence(*cases: ReferenceCase, **changes: Any) -> Evidence:
    left = tuple(CandidateCase(passed(case), passed(case), number == 0) for number, case in enumerate(cases))
    made = Evidence(cases, left, None, (), (), False, Seen(launch_count=len(cases)), False, False, False, (), ())
    return replace(made, **changes)


def with_passes(first: Pass, second: Pass) -> Evidence:
    """The second of two cases is left like this."""
    cases = (reference(1), reference(2))
    own = CandidateCase(passed(cases[0]), passed(cases[0]), True)
    return evidence(*cases, candidate=(own, CandidateCase(first, second, False)))


def verdict(given: Evidence) -> Verification:
    result = judge(given)
    assert isinstance(result, Verification)
    return result


def codes(given: Evidence) -> dict[str, Outcome]:
    return {finding.code: finding.outcome for finding in verdict(given).findings}


def test_equal_values_pass_and_no_speed_is_claimed() -> None:
    found = verdict(evidence(reference(1), reference(2)))
    assert found.outcome is Outcome.PASS and found.oracle == "operator" and any("speed" in text for text in found.missing_checks)


def test_a_wrong_element_fails_with_its_place() -> None:
    case = reference(2)
    values = draw(2)
    values[7] += 1.0
    wrong = passed(case, outputs=(tensor(values),))
    (finding,) = verdict(with_passes(wrong, wrong)).findings
    assert (finding.code, finding.index, finding.outcome) == ("wrong_value", 7, Outcome.FAIL)


def test_what_is_wrong_on_the_tasks_own_inputs_is_not_said_of_other_values_again() -> None:
    kinds = ("given", "normal", "size", "edge")
    cases = [reference(number, kind) for number, kind in enumerate(kinds)]
    wrong = [passed(case, outputs=(tensor(draw(number) + 1.0),)) for number, case in enumerate(cases)]
    found = verdict(evidence(*cases, candidate=tuple(CandidateCase(each, each, number == 0) for number, each in enumerate(wrong))))
    assert [finding.code for finding in found.findings] == ["wrong_value"] and not found.labels
    assert found.findings[0].message.startswith("on the task's own inputs")
    assert [case.outcome for case in found.cases] == [*[Outcome.FAIL] * 3, Outcome.NEEDS_DECISION]
    right = CandidateCase(passed(cases[0]), passed(cases[0]), True)
    others = verdict(evidence(*cases, candidate=(right, *(CandidateCase(each, each, False) for each in wrong[1:]))))
    assert [finding.code for finding in others.findings] == ["wrong_value", "wrong_value", "nan_behaviour"]


def test_an_error_on_the_tasks_own_inputs_is_no_refusal_of_others() -> None:
    cases = [reference(0), reference(1, "normal")]
    left = [replace(passed(case), failure=Failure("raised", "forward raised RuntimeError")) for case in cases]
    found = verdict(evidence(*cases, candidate=tuple(CandidateCase(each, each, True) for each in left)))
    assert [finding.code for finding in found.findings] == ["raised"] and not found.labels


def test_infinities_of_its_own_are_said_as_such() -> None:
    values = draw(2)
    values[3] = np.inf
    left = passed(reference(2), outputs=(tensor(values),))
    (finding,) = verdict(with_passes(left, left)).findings
    assert "output 0 has NaN or infinities in 1 element where the reference has none or others; first at [3]" in finding.message


def test_an_output_that_is_only_added_to_is_told_what_fresh_memory_holds() -> None:
    left = passed(reference(2), outputs=(tensor(draw(2) + np.nan),))
    (finding,) = verdict(with_passes(left, left)).findings
    assert finding.message.endswith("fresh memory holds NaN in these runs, and what is not written, or only added to, keeps it")


def test_an_error_that_the_rounding_of_the_inputs_makes_as_well_is_allowed() -> None:
    """PyTorch's own float kernel errs like this where its CPU code adds in double."""
    off = 1e-5 * np.sign(draw(3))
    moved = replace(reference(2), perturbed=((tensor(draw(2) - off),),))
    for case, outcome in ((reference(2), Outcome.FAIL), (moved, Outcome.PASS)):
        left = passed(case, outputs=(tensor(draw(2) + off),))
        given = evidence(
            reference(1),
            case,
            candidate=(CandidateCase(passed(reference(1)), passed(reference(1)), True), CandidateCase(left, left, False)),
        )
        assert verdict(given).outcome is outcome
    far = passed(moved, outputs=(tensor(draw(2) + 10 * off),))
    given = evidence(
        reference(1), moved, candidate=(CandidateCase(passed(reference(1)), passed(reference(1)), True), CandidateCase(far, far, False))
    )
    assert verdict(given).outcome is Outcome.FAIL


def test_inputs_whose_rounding_decides_loosen_no_other_case() -> None:
    """Small outputs share their errors, as one case is too few to know them; not what the rounding of one case's inputs makes of it."""
    loose = small(replace(reference(1), perturbed=((tensor(draw(1) * 1e6),),)))
    case = small(reference(2))
    left = passed(case, outputs=(tensor(draw(2)[:1] + 1e-3),))
    given = evidence(loose, case, candidate=(CandidateCase(passed(loose), passed(loose), True), CandidateCase(left, left, False)))
    assert verdict(given).outcome is Outcome.FAIL


def small(case: ReferenceCase) -> ReferenceCase:
    """With one element of each output."""

    def first(left: TensorLeft) -> TensorLeft:
        return replace(left, shape=(1,), data=left.data[: left.element.scalar_bytes])

    assert case.float64 is not None
    outputs = tuple(map(first, case.outputs))
    moved = tuple(tuple(map(first, run)) for run in case.perturbed)
    return replace(case, outputs=outputs, repeated=outputs, float64=tuple(map(first, case.float64)), perturbed=moved)


def test_values_of_an_earlier_call_fail_as_remembered() -> None:
    case = reference(2)
    assert codes(with_passes(passed(case, outputs=reference(1).outputs), passed(case))) == {"remembered": Outcome.FAIL}


def test_work_that_the_second_call_leaves_out_fails() -> None:
    case = reference(2)
    assert codes(with_passes(passed(case), passed(case, work=(("calls", 0),)))) == {"remembered": Outcome.FAIL}


def test_manners_of_a_call_are_judged() -> None:
    case = reference(2)
    for change, code in (
        ({"inputs_after": ("other",)}, "changed_inputs"),
        ({"is_late": True}, "late_write"),
        ({"shares_memory": True}, "shared_output"),
        ({"output_count": 2}, "wrong_shape"),
        ({"failure": Failure("raised", "boom")}, "raised"),
    ):
        odd = passed(case, **change)
        assert codes(with_passes(odd, odd)) == {code: Outcome.FAIL}


def test_replaced_functions_and_a_reference_that_is_read_fail() -> None:
    cases = (reference(1), reference(2))
    assert codes(evidence(*cases, tampering=(Tampering(3, "replaces torch.softmax"),))) == {"tampering": Outcome.FAIL}
    assert codes(evidence(*cases, replaced=("torch.softmax",))) == {"tampering": Outcome.FAIL}
    assert codes(evidence(*cases, reads_reference=True)) == {"tampering": Outcome.FAIL}


def test_pytorch_that_computes_is_a_persons_decision() -> None:
    case = reference(2)
    found = verdict(with_passes(*(passed(case, work=(("mm", 1), ("calls", 0))),) * 2))
    assert found.outcome is Outcome.NEEDS_DECISION and found.labels == (Label.LIBRARY_CALL,)
    assert "mm" in found.findings[0].message


def test_pytorch_that_computes_fails_where_every_kernel_has_to_be_own() -> None:
    case = reference(2)
    given = with_passes(*(passed(case, work=(("mm", 1), ("calls", 0))),) * 2)
    assert codes(replace(given, only_custom=True)) == {"library_call": Outcome.FAIL}


def test_a_candidate_that_stops_before_anything_runs_is_only_told_why() -> None:
    stopped = Pass(Failure("state_differs", "the reference has no weight gamma"), (), 0, ())
    left = tuple(CandidateCase(stopped, stopped, False) for _ in range(2))
    assert codes(evidence(reference(1), reference(2), candidate=left, seen=Seen(launch_count=0))) == {"state_differs": Outcome.FAIL}


def test_a_result_that_neither_a_kernel_nor_pytorch_computed_is_a_persons_decision() -> None:
    """NumPy, say, or a thread that hides from PyTorch's own count."""
    given = evidence(reference(1), reference(2), seen=Seen())
    (finding,) = verdict(given).findings
    assert (finding.code, finding.outcome) == ("library_call", Outcome.NEEDS_DECISION) and "something else computes it" in finding.message
    assert codes(replace(given, only_custom=True)) == {"library_call": Outcome.FAIL}


@pytest.mark.parametrize(
    ("code", "outcome"), [("tampering", Outcome.FAIL), ("setting", Outcome.NEEDS_DECISION), ("hidden_code", Outcome.NEEDS_DECISION)]
)
def test_what_a_text_does_is_wrong_or_for_a_person_to_decide(code: str, outcome: Outcome) -> None:
    assert codes(evidence(reference(1), reference(2), tampering=(Tampering(3, "does it", code),))) == {code: outcome}


def test_work_on_a_stream_that_nothing_waits_for_fails() -> None:
    assert codes(evidence(reference(1), reference(2), seen=Seen(launch_count=2, works_aside=True))) == {"late_write": Outcome.FAIL}


def test_gradients_are_compared_by_name_where_they_are_asked_for() -> None:
    gradients = {"input 0": tensor(draw(7)), "weight": tensor(draw(8))}
    cases = tuple(replace(reference(seed), gradients=gradients) for seed in (1, 2))
    for left, said in (
        (gradients, None),
        ({"input 0": gradients["input 0"]}, "the gradient of weight is missing"),
        ({**gradients, "weight": tensor(-draw(8))}, "the gradient of weight is off"),
    ):
        left_by = [passed(case, gradients=left) for case in cases]
        passes = tuple(CandidateCase(each, each, number == 0) for number, each in enumerate(left_by))
        given = evidence(*cases, candidate=passes, is_backward=True)
        found = [finding.message for finding in verdict(given).findings]
        assert (said is None and not found) or (said is not None and said in found[0])
        assert verdict(replace(given, is_backward=False)).outcome is Outcome.PASS


def test_a_reference_that_ignores_its_inputs_cannot_judge() -> None:
    same = replace(reference(2), outputs=reference(1).outputs, repeated=reference(1).repeated, float64=reference(1).float64)
    result = judge(evidence(reference(1), same))
    assert isinstance(result, CannotJudge) and result.code is Unjudgeable.WEAK_WORKLOAD


def test_a_reference_that_is_not_repeatable_cannot_judge() -> None:
    odd = replace(reference(2), repeated=reference(1).outputs)
    result = judge(evidence(reference(1), odd))
    assert isinstance(result, CannotJudge) and result.code is Unjudgeable.ORIGINAL_INEXACT


def test_a_buffer_that_is_wrong_is_called_by_its_name() -> None:
    of_draw, zeros = reference(1), tensor(np.zeros(SIZE))
    both = (*of_draw.outputs, *of_draw.outputs)
    case = replace(of_draw, outputs=both, repeated=both, float64=None, buffers=("norm.running_mean",))
    left = passed(case, outputs=(of_draw.outputs[0], zeros))
    found = judge(replace(evidence(case), candidate=(CandidateCase(left, left, True),)))
    assert isinstance(found, Verification) and "the state's norm.running_mean" in found.findings[0].message
