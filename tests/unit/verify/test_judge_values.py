"""Values that the program never had: NaN, huge and tiny ones, sums that cancel; what only they show is a label."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from assistant.model.verification import CannotJudge, Label, Outcome, Verification
from assistant.model.workload import AutoTolerance
from assistant.verify.evidence import CaseEvidence, DetectedLabel, JudgeEvidence
from assistant.verify.judge import judge
from tests.unit.verify.judged_cases import (
    Buffers,
    Kernel,
    N,
    case,
    evidence,
    inputs,
    scale_add,
    truth,
    verdict_on,
)


def test_a_pole_that_another_precision_meets_on_changed_signs_is_a_decision() -> None:
    """``x / (0.8 + 0.25 * x)``, twice, at -3.2: 4 where the sum is taken in double, NaN where it is 0 in float."""

    def twice(b: Buffers, wide: type[np.floating]) -> None:
        """Two steps of a recurrence, computed in the type ``wide``."""
        x = b["x"]
        with np.errstate(all="ignore"):
            for _ in range(2):
                x = (x / (wide(0.8) + wide(0.25) * x.astype(wide))).astype(np.float32)
        b["out"][: N - 1] = x[: N - 1]

    def in_double(b: Buffers) -> None:
        twice(b, np.float64)

    def in_float(b: Buffers) -> None:
        twice(b, np.float32)

    def of(kind: str, sign: float) -> CaseEvidence:
        buffers = {**inputs(1), "x": np.full(N, sign * 3.2, np.float32)}
        buffers["x"][5:] = np.abs(inputs(1)["x"][5:])
        return case(in_double, in_float, kind=kind, buffers=buffers)

    changed = (DetectedLabel(Label.PRECISION, "literals of float", 4),)
    cases = (of("recorded", 1.0), of("mirrored", -1.0))
    result = verdict_on(JudgeEvidence(cases, AutoTolerance(), labels=changed))
    assert result.outcome is Outcome.NEEDS_DECISION and set(result.labels) >= {Label.PRECISION, Label.NAN_BEHAVIOUR}
    assert verdict_on(JudgeEvidence(cases, AutoTolerance())).outcome is Outcome.FAIL
    assert verdict_on(JudgeEvidence((of("recorded", -1.0),), AutoTolerance(), labels=changed)).outcome is Outcome.FAIL


def test_other_behaviour_on_nan_only_adds_a_label() -> None:
    def clamped(b: Buffers) -> None:
        b["out"][: N - 1] = np.nan_to_num(b["x"] * np.float32(2) + b["y"], nan=0.0)[: N - 1]

    odd = inputs(9)
    odd["x"][4] = np.nan
    base = evidence(scale_add, clamped)
    injected = case(scale_add, clamped, kind="injected", buffers=odd)
    result = judge(replace(base, cases=(*base.cases, injected)))
    assert isinstance(result, Verification)
    assert result.outcome is Outcome.NEEDS_DECISION and result.labels == (Label.NAN_BEHAVIOUR,)
    assert len(result.cases) == 3


def test_a_huge_value_written_over_its_like_is_an_output_all_the_same() -> None:
    def replaces(b: Buffers) -> None:
        scale_add(b)
        b["y"][:] = b["x"]

    def adds(b: Buffers) -> None:
        scale_add(b)
        b["y"] += b["x"]

    def cleared(seed: int) -> Buffers:
        return {**inputs(seed), "y": np.zeros(N, np.float32)}

    huge = cleared(9)
    huge["x"][4] = huge["y"][4] = 1e30
    ordinary = [case(replaces, adds, seed=seed, kind=kind, buffers=cleared(seed)) for seed, kind in ((1, "recorded"), (2, "resampled"))]
    result = judge(JudgeEvidence((*ordinary, case(replaces, adds, kind="huge", buffers=huge)), AutoTolerance()))
    assert isinstance(result, Verification)
    assert result.outcome is Outcome.NEEDS_DECISION and Label.NAN_BEHAVIOUR in result.labels, result.findings


def test_zeros_of_both_signs_say_nothing_of_roundings_and_all_of_infinities() -> None:
    def rounds(b: Buffers) -> None:
        scale_add(b)
        b["out"][:-1] += np.float32(6 * 2**-24) * np.abs(b["out"][:-1]).max()

    def divides(b: Buffers) -> None:
        b["out"][:-1] = 1 / b["x"][:-1]

    def of_magnitude(b: Buffers) -> None:
        b["out"][:-1] = 1 / np.abs(b["x"][:-1])

    def judged(original: Kernel, candidate: Kernel) -> Verification:
        """The verdict with a further case of zeros of both signs."""
        zeros = inputs(9)
        zeros["x"][::2] = [0.0, -0.0] * (N // 4)
        zeros["x"][1] = 1e3
        ordinary = case(original, original, seed=1)
        with np.errstate(divide="ignore"):
            result = judge(JudgeEvidence((ordinary, case(original, candidate, kind="zeros", buffers=zeros)), AutoTolerance()))
        assert isinstance(result, Verification)
        return result

    assert judged(scale_add, rounds).labels == ()
    assert Label.NAN_BEHAVIOUR in judged(divides, of_magnitude).labels


def of_kind(kind: str, candidate: Kernel, values: Buffers | None = None) -> JudgeEvidence:
    """Ordinary cases on which B is right, and one of values of a kind that the program never had, on which it is ``candidate``."""
    base = evidence(scale_add, scale_add)
    other = case(scale_add, candidate, seed=9, kind=kind, truth=truth, buffers=values)
    other = replace(other, origin=replace(other.origin, values="x from -250 to -1"))
    return replace(base, cases=(*base.cases, other))


def nearly(roundoffs: float) -> Kernel:
    def run(b: Buffers) -> None:
        scale_add(b)
        b["out"][: N - 1] *= np.float32(1 + roundoffs * 2.0**-24)

    return run


@pytest.mark.parametrize(
    ("kind", "label"),
    [
        ("negative", Label.ASSUMPTION),
        ("smaller_grid", Label.ASSUMPTION),
        ("unpadded", Label.ASSUMPTION),
        ("unsorted", Label.ASSUMPTION),
        ("offset", Label.PRECISION),
        ("far", Label.ASSUMPTION),
    ],
)
def test_a_difference_on_values_that_the_program_never_had_is_a_label_that_names_them(kind: str, label: Label) -> None:
    result = judge(of_kind(kind, lambda b: None))
    assert isinstance(result, Verification)
    assert result.outcome is Outcome.NEEDS_DECISION and result.labels == (label,)
    assert "with n=512, x from -250 to -1, on which the original runs clean: out[0]" in result.findings[0].message


def test_a_difference_on_the_programs_own_kinds_of_values_fails() -> None:
    result = judge(of_kind("dense", lambda b: None))
    assert isinstance(result, Verification) and result.outcome is Outcome.FAIL


def test_rows_of_many_elements_may_err_by_what_adding_them_one_by_one_costs() -> None:
    def judged(longest_row: int, roundoffs: float) -> Outcome:
        base = evidence(scale_add, nearly(roundoffs))
        result = judge(replace(base, cases=tuple(replace(one, reference=(), longest_row=longest_row) for one in base.cases)))
        assert isinstance(result, Verification)
        return result.outcome

    assert judged(0, 1000.0) is judged(2000, 40000.0) is Outcome.FAIL
    assert judged(2000, 1000.0) is Outcome.PASS


def test_a_sum_in_a_loop_may_be_added_up_in_another_order_where_nothing_shows_its_own_error() -> None:
    """Of structs with floats and of doubles there are no float64 values: a split loop of 16,384 terms failed, that of 256 passed."""

    def judged(iterations: float, roundoffs: float, is_known: bool = False) -> Outcome:
        base = evidence(scale_add, nearly(roundoffs))
        cases = (one if is_known else replace(one, reference=()) for one in base.cases)
        result = judge(replace(base, cases=tuple(replace(one, iterations=iterations, thread_count=512) for one in cases)))
        assert isinstance(result, Verification)
        return result.outcome

    assert judged(0, 20.0) is judged(256, 100.0) is judged(16384, 1000.0) is Outcome.FAIL
    assert judged(16384, 20.0) is Outcome.PASS
    assert judged(16384, 20.0, is_known=True) is Outcome.FAIL, "the original's own error is known"


def test_one_element_of_many_may_be_further_off_than_most_where_errors_are_estimated() -> None:
    """Sums of doubles by columns: five of 4,100 elements were above four times their usual error, and a right edit failed."""

    def one_off(roundoffs: float) -> Kernel:
        def run(b: Buffers) -> None:
            scale_add(b)
            b["out"][np.argmax(np.abs(b["out"][: N - 1]))] *= np.float32(1 + roundoffs * 2.0**-24)

        return run

    def judged(roundoffs: float, is_known: bool = False) -> Outcome:
        base = evidence(scale_add, one_off(roundoffs))
        cases = (one if is_known else replace(one, reference=()) for one in base.cases)
        result = judge(replace(base, cases=tuple(replace(one, iterations=4096, thread_count=512) for one in cases)))
        assert isinstance(result, Verification)
        return result.outcome

    assert judged(200.0) is Outcome.PASS
    assert judged(200.0, is_known=True) is judged(2000.0) is Outcome.FAIL


def test_a_column_that_is_centred_in_place_may_be_added_up_in_another_order() -> None:
    def one_by_one(b: Buffers) -> None:
        rows = b["x"].reshape(-1, 4)
        rows -= np.cumsum(rows, axis=0)[-1] / len(rows)

    def in_pairs(b: Buffers) -> None:
        rows = b["x"].reshape(-1, 4)
        rows -= np.ascontiguousarray(rows.T).sum(axis=1) / len(rows)

    def lossy(b: Buffers) -> None:
        in_pairs(b)
        b["x"] += 1e-13

    def judged(candidate: Kernel, thread_count: int) -> Outcome:
        cases = list[CaseEvidence]()
        for seed in (1, 2, 3):
            columns: Buffers = {"x": np.random.default_rng(seed).random(8192)}
            centred = {"x": columns["x"].copy()}
            one_by_one(centred)
            made = case(one_by_one, candidate, seed=seed, kind="recorded" if seed == 1 else "resampled", buffers=columns)
            cases.append(replace(made, reference=((0, centred["x"].tobytes()),), thread_count=thread_count))
        result = judge(JudgeEvidence(tuple(cases), AutoTolerance()))
        assert isinstance(result, Verification)
        return result.outcome

    assert judged(in_pairs, thread_count=32) is Outcome.PASS
    assert judged(lossy, thread_count=32) is Outcome.FAIL
    assert judged(in_pairs, thread_count=8192) is Outcome.FAIL, "an element for each thread leaves nothing to add up"


@pytest.mark.parametrize("values", ["random", "few", "mostly alike", "two levels", "with a peak"])
def test_columns_of_doubles_that_a_warp_adds_up_are_right_whatever_they_hold(values: str) -> None:
    """Like terms, one after the other, err to one side: 0.1 added 251 times by 31 roundoffs, where random terms make five of it."""
    random = np.random.default_rng(5).random((251, 131))
    point, column = np.meshgrid(np.arange(251), np.arange(131), indexing="ij")
    columns = {
        "random": random,
        "few": 0.1 * (column % 7) + 0.1 * np.floor(2 * random),
        "mostly alike": np.where(random < 0.02, 0.0, 0.1 * (column % 7) + 0.1),
        "two levels": 0.7 + 0.1 * (point > 125),
        "with a peak": 0.1 * (column % 9) + 0.1 + 0.3 * (point == 40),
    }[values]

    def centred(lanes: int, error: float = 0.0) -> Kernel:
        def run(b: Buffers) -> None:
            own = b["x"].reshape(251, 131)
            padded = np.zeros((-(-251 // lanes) * lanes, 131))
            padded[:251] = own
            partial = np.cumsum(padded.reshape(-1, lanes, 131), axis=0)[-1]
            while len(partial) > 1:
                partial = partial[: len(partial) // 2] + partial[len(partial) // 2 :]
            own -= partial[0] / 251 * (1 + error)

        return run

    def judged(candidate: Kernel) -> Outcome:
        made = case(centred(1), candidate, buffers={"x": columns.ravel().copy()})
        result = judge(JudgeEvidence((replace(made, iterations=251, thread_count=131),), AutoTolerance()))
        assert isinstance(result, Verification)
        return result.outcome

    assert judged(centred(32)) is Outcome.PASS
    assert judged(centred(32, error=1e-12)) is Outcome.FAIL, "that is no rounding"


@pytest.mark.parametrize("kind", ["near", "cancelling"])
def test_values_that_lose_digits_leave_room_for_half_of_them(kind: str) -> None:
    honest, lossy = (judge(of_kind(kind, nearly(count))) for count in (1000.0, 10000.0))
    assert isinstance(honest, Verification) and honest.outcome is Outcome.PASS
    assert isinstance(lossy, Verification) and lossy.labels == (Label.PRECISION,)


def test_equal_values_leave_room_for_roundings_that_add_up() -> None:
    def judged(kind: str, roundoffs: float) -> Outcome:
        result = judge(of_kind(kind, nearly(roundoffs)))
        assert isinstance(result, Verification)
        return result.outcome

    assert judged("same", 10.0) is judged("offsets", 10.0) is Outcome.PASS
    assert judged("unpadded", 10.0) is judged("same", 200.0) is Outcome.NEEDS_DECISION


def test_values_on_which_the_original_overflows_or_loses_its_own_digits_do_not_count() -> None:
    huge: Buffers = {name: np.full(N, 2e38, np.float32) for name in ("x", "y")}
    with np.errstate(over="ignore"):
        overflowing = judge(of_kind("extreme", lambda b: None, huge))
    assert isinstance(overflowing, Verification) and overflowing.outcome is Outcome.PASS
    assert overflowing.dropped_cases == ("values of kind extreme: the original's own out is not finite there",)


def test_values_that_cancel_count_only_where_float64_values_show_that_the_original_keeps_its_digits() -> None:
    def outcome(original: Kernel, truth_of: Kernel | None) -> Verification | CannotJudge:
        base = evidence(scale_add, scale_add)
        other = case(original, lambda b: None, seed=9, kind="cancelling", truth=truth_of)
        return judge(replace(base, cases=(*base.cases, other)))

    for result in (outcome(nearly(10000.0), truth), outcome(scale_add, None)):
        assert isinstance(result, Verification) and result.outcome is Outcome.PASS
        assert any(reason.startswith("values of kind cancelling: ") for reason in result.dropped_cases), result.dropped_cases


def test_integers_made_of_floats_beyond_their_range_say_nothing_of_a_gpu() -> None:
    def convert(value: int) -> Kernel:
        """A kernel whose conversion of NaN gives ``value``."""

        def run(b: Buffers) -> None:
            b["out"][:] = np.nan_to_num(b["x"] * 100)
            b["out"][np.isnan(b["x"])] = value

        return run

    least = np.iinfo(np.int32).min
    empty = np.zeros(N, np.int32)
    special = inputs(5)
    special["x"][::50] = np.nan

    def labels_of(original: int, candidate: int) -> tuple[Label, ...]:
        """Labels of the verdict where the two versions convert NaN to these values."""
        own = tuple(case(convert(original), convert(candidate), seed=seed, out=empty) for seed in (1, 2))
        injected = case(convert(original), convert(candidate), kind="injected", out=empty, buffers=special)
        result = judge(JudgeEvidence((*own, injected), AutoTolerance()))
        assert isinstance(result, Verification), result
        return result.labels

    assert labels_of(least, 0) == () and labels_of(7, 0) == (Label.NAN_BEHAVIOUR,)


@pytest.mark.parametrize("left", [3e38, -1e30])
def test_what_an_array_held_before_it_is_only_stored_to_is_no_measure_of_its_errors(left: float) -> None:
    def whole(b: Buffers) -> None:
        b["out"][:] = b["x"] * np.float32(2) + b["y"]

    def wrong(b: Buffers) -> None:
        b["out"][:] = 0

    def of(candidate: Kernel) -> CaseEvidence:
        made = case(whole, candidate, truth=truth)
        out = replace(made.buffers[-1], is_poisoned=False, is_only_stored=True, before=np.full(N, left, np.float32).tobytes())
        return replace(made, buffers=(*made.buffers[:-1], out))

    def judged(candidate: Kernel) -> Outcome:
        found = judge(JudgeEvidence((of(candidate),), AutoTolerance()))
        assert isinstance(found, Verification), found
        return found.outcome

    assert (judged(whole), judged(wrong)) == (Outcome.PASS, Outcome.FAIL)
