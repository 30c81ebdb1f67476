"""The verdict, on kernels written as NumPy functions: right edits pass, wrong ones are named, each by its code."""

from __future__ import annotations

import re
from dataclasses import replace

import numpy as np
import pytest

from assistant.model.verification import Label, Outcome, Verification, VerificationFinding
from assistant.model.workload import AutoTolerance, FixedTolerance
from assistant.verify.evidence import CaseEvidence, DetectedLabel, JudgeEvidence, ProgramVerdict, SideRun
from assistant.verify.judge import judge
from assistant.verify.rules import need_tolerance, own_error
from tests.unit.verify.judged_cases import (
    FILLS,
    Buffers,
    Kernel,
    N,
    case,
    codes,
    evidence,
    inputs,
    scale_add,
    side,
    truth,
    verdict,
)


def test_the_same_kernel_passes() -> None:
    result = verdict(scale_add, scale_add)
    assert result.outcome is Outcome.PASS and result.findings == () and result.labels == ()
    assert [c.kind for c in result.cases] == ["recorded", "resampled", "resampled"] and result.oracle == "kernel"


def test_another_rounding_passes_and_is_labelled_as_reassociation() -> None:
    def fused(b: Buffers) -> None:
        exact = b["x"].astype(np.float64) * 2 + b["y"]
        b["out"][: N - 1] = (exact + exact * 2.0**-24 * np.sign(b["x"])).astype(np.float32)[: N - 1]

    result = verdict(scale_add, fused)
    assert result.outcome is Outcome.PASS and result.labels == (Label.REASSOCIATION,)
    assert (result.cases[0].max_error or 0) > 0


def test_the_original_s_own_error_is_reported_where_its_float64_values_are_believed() -> None:
    def rough(b: Buffers) -> None:
        scale_add(b)
        b["out"][: N - 1] *= np.float32(1 + 1e-4)

    for kernel, least, most in ((scale_add, 1e-9, 1e-7), (rough, 0.9e-4, 1.1e-4)):
        assert least < own_error((case(kernel, kernel, truth=truth),), (), AutoTolerance()) < most
    assert own_error((case(rough, rough),), (), AutoTolerance()) == 0.0


def test_a_wrong_value_is_shown_with_its_place() -> None:
    def wrong(b: Buffers) -> None:
        scale_add(b)
        b["out"][7] += 1

    (finding,) = verdict(scale_add, wrong).findings
    assert (finding.code, finding.buffer, finding.index, finding.outcome) == ("wrong_value", "out", 7, Outcome.FAIL)
    assert float(finding.actual or "nan") == pytest.approx(float(finding.expected or "nan") + 1, rel=1e-6)
    assert "in 3 cases" in finding.message


def test_a_partial_write_is_found_by_the_poison() -> None:
    def partial(b: Buffers) -> None:
        b["out"][: N // 2] = (b["x"] * np.float32(2) + b["y"])[: N // 2]

    (finding,) = verdict(scale_add, partial).findings
    assert finding.code == "not_written" and finding.index == N // 2


def test_a_write_where_the_original_writes_nothing_is_found() -> None:
    def beyond(b: Buffers) -> None:
        b["out"][:] = b["x"] * np.float32(2) + b["y"]

    (finding,) = verdict(scale_add, beyond).findings
    assert finding.code == "wrote_outside_outputs" and finding.index == N - 1


def test_a_modified_input_is_found_though_the_output_is_right() -> None:
    def greedy(b: Buffers) -> None:
        scale_add(b)
        b["x"][3] = 0

    (finding,) = verdict(scale_add, greedy).findings
    assert (finding.code, finding.buffer, finding.index) == ("wrote_outside_outputs", "x", 3)


def test_a_new_nan_fails() -> None:
    def broken(b: Buffers) -> None:
        scale_add(b)
        b["out"][9] = np.nan

    (finding,) = verdict(scale_add, broken).findings
    assert finding.code == "nan_position" and finding.index == 9


def half_precision(b: Buffers) -> None:
    b["out"][: N - 1] = (b["x"] + (b["x"] * np.float32(1 + 2.0**-20) + b["y"]))[: N - 1]


def test_lower_precision_fails_unless_it_was_detected_and_then_needs_a_decision() -> None:
    assert verdict(scale_add, half_precision).outcome is Outcome.FAIL
    label = DetectedLabel(Label.PRECISION, "computes with half", 4)
    result = verdict(scale_add, half_precision, labels=(label,))
    assert result.outcome is Outcome.NEEDS_DECISION and result.labels == (Label.PRECISION,)
    assert codes(result) == {"precision"}


def test_a_decision_on_fewer_digits_says_how_far_results_are_off() -> None:
    label = DetectedLabel(Label.PRECISION, "computes with half", 4)

    def message(candidate: Kernel) -> str:
        findings = verdict(scale_add, candidate, labels=(label,)).findings
        return next(found.message for found in findings if found.line == 4)

    said = message(half_precision)
    off = re.fullmatch(r"computes with half; on ordinary values results are off by at most ([\d.e-]+) of the largest", said)
    assert off is not None and 2.0**-22 < float(off[1]) < 2.0**-19, said
    assert message(scale_add) == "computes with half; on ordinary values no result differs"


def test_a_fixed_tolerance_replaces_the_automatic_one() -> None:
    result = verdict(scale_add, half_precision, tolerance=FixedTolerance(rtol=1e-3, atol=1e-4))
    assert result.outcome is Outcome.PASS
    assert verdict(scale_add, half_precision, tolerance=FixedTolerance(0.0, 0.0)).outcome is Outcome.FAIL


def test_moved_data_must_be_bitwise_equal() -> None:
    def reverse(b: Buffers) -> None:
        b["out"][:] = b["x"][::-1]

    def nearly(b: Buffers) -> None:
        b["out"][:] = np.nextafter(b["x"][::-1], np.float32(9))

    cases = tuple(case(reverse, nearly, seed=s, truth=lambda b: b["x"][::-1].copy()) for s in (1, 2))
    result = judge(JudgeEvidence(cases, AutoTolerance()))
    assert isinstance(result, Verification) and codes(result) == {"wrong_value"}


def test_integers_must_be_equal() -> None:
    def count(b: Buffers) -> None:
        b["out"][:] = (b["x"] > 0).cumsum()

    def off_by_one(b: Buffers) -> None:
        count(b)
        b["out"][-1] += 1

    cases = tuple(case(count, off_by_one, seed=s, out=np.zeros(N, np.int32)) for s in (1, 2))
    result = judge(JudgeEvidence(cases, AutoTolerance()))
    assert isinstance(result, Verification)
    (finding,) = result.findings
    assert finding.index == N - 1 and int(finding.actual or 0) == int(finding.expected or 0) + 1
    assert result.cases[0].max_error is None


def test_without_a_reference_the_spread_of_perturbed_runs_is_the_measure() -> None:
    def total(b: Buffers) -> None:
        b["out"][0] = np.cumsum(b["x"])[-1]

    def pairwise(b: Buffers) -> None:
        b["out"][0] = b["x"].sum()

    out = np.zeros(1, np.float32)
    cases = list[CaseEvidence]()
    for seed in range(1, 6):
        plain = case(total, pairwise, seed=seed, out=out)
        runs = list[SideRun]()
        for shift in range(8):
            signs = np.random.default_rng(shift).choice([-np.inf, np.inf], N).astype(np.float32)
            moved = {name: np.nextafter(values, signs) for name, values in inputs(seed).items()}
            runs.append(side(total, moved, out, FILLS[0]))
        cases.append(replace(plain, perturbed=tuple(runs)))
    result = judge(JudgeEvidence(tuple(cases), AutoTolerance()))
    assert isinstance(result, Verification) and result.outcome is Outcome.PASS, result
    assert result.missing_checks == ()
    without = judge(JudgeEvidence(tuple(replace(c, perturbed=()) for c in cases), AutoTolerance()))
    assert isinstance(without, Verification) and "out: no float64 reference" in without.missing_checks[0]


def test_only_computed_floats_need_a_tolerance() -> None:
    def reversed_(b: Buffers) -> None:
        b["out"][:] = b["x"][::-1]

    def one_sum(b: Buffers) -> None:
        b["out"][:] = b["x"][::-1]
        b["out"][7] = b["x"][:3].sum()

    moved, summed = (case(kernel, kernel) for kernel in (reversed_, one_sum))
    assert need_tolerance((moved, summed), ()) == [True, True], "one kernel's output is judged by one rule"
    assert need_tolerance((moved,), ()) == [False] and need_tolerance((case(scale_add, scale_add),), ()) == [True]
    assert need_tolerance((moved, replace(summed, kernel="another")), ()) == [False, True]
    assert need_tolerance((replace(moved, original=(SideRun((), error="timed out"),)),), ()) == [False]


def test_what_only_the_kernel_itself_reads_is_for_a_person_to_decide() -> None:
    def with_scratch(value: float) -> Kernel:
        """A kernel that leaves ``value`` times x in the scratch buffer y."""

        def kernel(b: Buffers) -> None:
            b["y"][:] = np.float32(value) * b["x"]
            scale_add({**b, "y": b["x"]})

        return kernel

    def judged(candidate: Kernel, *, is_unread: bool, kind: str = "resampled") -> Verification:
        """The verdict where y is, or is not, read by other kernels."""
        base = evidence(with_scratch(2.0), candidate)
        cases = [replace(c, origin=replace(c.origin, kind=kind if c.origin.kind != "recorded" else "recorded")) for c in base.cases]
        facts = [replace(c, buffers=tuple(replace(b, is_unread=is_unread and b.name == "y") for b in c.buffers)) for c in cases]
        result = judge(replace(base, cases=tuple(replace(c, reference=()) for c in facts)))
        assert isinstance(result, Verification)
        return result

    assert judged(with_scratch(3.0), is_unread=False).outcome is Outcome.FAIL
    left = judged(with_scratch(3.0), is_unread=True)
    assert left.outcome is Outcome.NEEDS_DECISION and codes(left) == {"unread_value"}
    assert judged(with_scratch(3.0), is_unread=True, kind="negative").labels == (), "said once, not by every kind of value"

    def wrong(b: Buffers) -> None:
        with_scratch(2.0)(b)
        b["out"][3] += 1

    assert judged(wrong, is_unread=True).outcome is Outcome.FAIL


def test_an_in_place_update_is_an_ordinary_case() -> None:
    def relu(b: Buffers) -> None:
        np.maximum(b["x"], 0, out=b["x"])
        b["out"][:] = b["y"]

    def wrong(b: Buffers) -> None:
        relu(b)
        b["x"][5] = 1

    cases = tuple(case(relu, relu, seed=s) for s in (1, 2))
    result = judge(JudgeEvidence(cases, AutoTolerance()))
    assert isinstance(result, Verification) and result.outcome is Outcome.PASS
    result = judge(JudgeEvidence(tuple(case(relu, wrong, seed=s) for s in (1, 2)), AutoTolerance()))
    assert isinstance(result, Verification) and result.outcome is Outcome.FAIL


def test_scratch_is_not_compared() -> None:
    def with_scratch(b: Buffers) -> None:
        scale_add(b)
        b["y"][:] = 7

    base = evidence(scale_add, with_scratch)
    marked = tuple(replace(c, buffers=tuple(replace(f, is_scratch=f.name == "y") for f in c.buffers)) for c in base.cases)
    assert judge(base).outcome is Outcome.FAIL  # type: ignore[union-attr]
    assert judge(replace(base, cases=marked)).outcome is Outcome.PASS  # type: ignore[union-attr]


def test_only_declared_outputs_are_compared() -> None:
    def two(b: Buffers) -> None:
        scale_add(b)
        b["y"][:] = b["x"]

    def one_differs(b: Buffers) -> None:
        two(b)
        b["y"][:] = 1

    assert verdict(two, one_differs).outcome is Outcome.FAIL
    assert verdict(two, one_differs, outputs=("out",)).outcome is Outcome.PASS


@pytest.mark.parametrize(
    ("label", "outcome"),
    [(Label.FAST_MATH, Outcome.NEEDS_DECISION), (Label.ALIGNMENT, Outcome.NEEDS_DECISION), (Label.READABILITY, Outcome.PASS)],
)
def test_labels_stand_next_to_the_verdict(label: Label, outcome: Outcome) -> None:
    result = verdict(scale_add, scale_add, labels=(DetectedLabel(label, "why", 3),))
    assert result.outcome is outcome and result.labels == (label,)


def test_a_static_finding_counts() -> None:
    finding = VerificationFinding("magic_size", Outcome.FAIL, "returns early when n == 1024")
    assert verdict(scale_add, scale_add, findings=(finding,)).outcome is Outcome.FAIL


def test_the_worse_of_kernel_and_program_stands() -> None:
    wrong = ProgramVerdict((VerificationFinding("wrong_output", Outcome.FAIL, "prints 3"),), ())
    result = verdict(scale_add, scale_add, program=wrong)
    assert result.outcome is Outcome.FAIL and result.oracle == "kernel+program"
    alone = judge(JudgeEvidence((), AutoTolerance(), program=ProgramVerdict((), ())))
    assert isinstance(alone, Verification) and alone.outcome is Outcome.PASS and alone.oracle == "program"


def test_judging_twice_gives_equal_values() -> None:
    assert judge(evidence(scale_add, half_precision)) == judge(evidence(scale_add, half_precision))


UNTYPED_DIFFERENCE = ProgramVerdict((VerificationFinding("untyped_value", Outcome.FAIL, "managed after launch 0[3]: wrong value"),), ())


def test_host_data_of_unknown_type_is_for_a_person_where_the_kernel_passes_every_case() -> None:
    result = verdict(scale_add, scale_add, program=UNTYPED_DIFFERENCE)
    assert result.outcome is Outcome.NEEDS_DECISION
    assert "right on every case" in result.findings[0].message


def test_host_data_of_unknown_type_fails_where_no_case_says_otherwise() -> None:
    def wrong(b: Buffers) -> None:
        b["out"][: N - 1] = 3

    result = verdict(scale_add, wrong, program=UNTYPED_DIFFERENCE)
    assert {f.code: f.outcome for f in result.findings}["untyped_value"] is Outcome.FAIL
    alone = judge(JudgeEvidence((), AutoTolerance(), program=UNTYPED_DIFFERENCE))
    assert isinstance(alone, Verification) and alone.outcome is Outcome.FAIL
