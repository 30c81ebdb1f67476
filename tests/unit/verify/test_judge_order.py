"""Results that depend on the order of threads: sums, arrivals, repeats that differ."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from assistant.model.verification import Label, Outcome, Verification
from assistant.model.workload import AutoTolerance
from assistant.verify.evidence import CaseEvidence, JudgeEvidence, SideRun
from assistant.verify.judge import judge
from assistant.verify.ordering import NO_ORDER, OrderFacts
from assistant.verify.outputs import has_small_output
from assistant.verify.text import Match
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
    verdict_on,
)


def test_a_sum_that_is_right_by_luck_does_not_condemn_another_order() -> None:
    def lucky(b: Buffers) -> None:
        b["out"][0] = np.float32((b["x"].astype(np.float64) - b["y"]).sum())

    def ordinary(b: Buffers) -> None:
        pairs = np.stack([b["x"], -b["y"]])
        b["out"][0] = np.cumsum(pairs, axis=1)[:, -1].sum()

    out = np.zeros(1, np.float32)
    cases = list[CaseEvidence]()
    for seed in (1, 2, 3):
        x = inputs(seed)["x"]
        buffers = {"x": x, "y": x[::-1] + np.float32(0.001 * seed)}
        plain = case(lucky, ordinary, seed=seed, out=out, buffers=buffers, truth=lambda b: (b["x"] - b["y"]).sum(keepdims=True))
        runs = list[SideRun]()
        for number in range(8):
            signs = np.random.default_rng([seed, number]).choice([-np.inf, np.inf], N).astype(np.float32)
            moved = {name: np.nextafter(values, signs) for name, values in buffers.items()}
            runs.append(side(lucky, moved, out, FILLS[0]))
        cases.append(replace(plain, perturbed=tuple(runs)))
        assert has_small_output(plain.buffers, plain.original)
    result = judge(JudgeEvidence(tuple(cases), AutoTolerance()))
    assert isinstance(result, Verification) and result.outcome is Outcome.PASS, result
    without = judge(JudgeEvidence(tuple(replace(c, perturbed=()) for c in cases), AutoTolerance()))
    assert isinstance(without, Verification) and without.outcome is Outcome.FAIL


def test_threads_that_add_up_into_one_place_may_do_so_in_another_order() -> None:
    exact = 1000.0

    def summed(error: float) -> Kernel:
        return lambda b: b["out"].__setitem__(slice(0, 1), np.float64(exact + error))

    def judged(thread_count: int) -> Outcome:
        one = np.zeros(1, np.float64)
        cases = [case(summed(0.0), summed(2e-11), seed=seed, out=one) for seed in (1, 2)]
        result = judge(JudgeEvidence(tuple(replace(c, buffers=c.buffers[2:], thread_count=thread_count) for c in cases), AutoTolerance()))
        return result.outcome if isinstance(result, Verification) else Outcome.NEEDS_DECISION

    assert judged(100_000) is Outcome.PASS and judged(0) is not Outcome.PASS


def test_sums_that_cancel_in_one_order_alone_are_no_write_outside() -> None:
    def scatters(b: Buffers) -> None:
        b["y"][:] += b["x"] * np.float32(3)
        b["out"][:] = b["x"]

    def adding(rest: float) -> Kernel:
        """The scattering kernel with ``rest`` added to one element."""

        def scatters_otherwise(b: Buffers) -> None:
            scatters(b)
            b["y"][7] += np.float32(rest)

        return scatters_otherwise

    given = inputs(1)
    given["x"][7], given["y"][7] = 0.0, 0.5
    for rest, expected in ((6e-8, set[str]()), (0.01, {"wrote_outside_outputs"})):
        judged = judge(
            JudgeEvidence((case(scatters, adding(rest), buffers=given), case(scatters, adding(rest), buffers=given)), AutoTolerance())
        )
        assert isinstance(judged, Verification) and codes(judged) == expected, judged


SUMS = OrderFacts(float_sums=(Match("atomicAdd on out", 3, 0),))
ARRIVALS = OrderFacts(arrivals=(Match("atomicAdd on count", 4, 0),))


def varying(cases: tuple[CaseEvidence, ...], *, left: Kernel | None = None, which: str = "candidate") -> tuple[CaseEvidence, ...]:
    """The cases with repeats of one side that differ: bitwise as ``left`` does, or without that it was kept what they left."""
    return tuple(replace(c, **{which: _with_repeats(c, getattr(c, which), left)}) for c in cases)


def _with_repeats(evidence: CaseEvidence, runs: tuple[SideRun, ...], left: Kernel | None) -> tuple[SideRun, ...]:
    marked = tuple(replace(run, repeat_difference="repeat 3 differs in buffer 2") for run in runs)
    if left is None:
        return marked
    memory = {b.name: np.frombuffer(b.before, np.float32).copy() for b in evidence.buffers if not b.is_poisoned}
    out = np.frombuffer(
        bytes([FILLS[0]]) * len(evidence.buffers[-1].before), np.int32 if evidence.buffers[-1].element_type == "int" else np.float32
    )
    repeat = side(left, memory, out, FILLS[0], is_repeat=True)
    return (*marked, repeat)


def test_repeats_that_differ_say_nothing_by_themselves_where_both_add_floats_atomically() -> None:
    base = evidence(scale_add, scale_add, order_before=SUMS, order_after=SUMS)
    for which in ("candidate", "original"):
        result = judge(replace(base, cases=varying(base.cases, which=which)))
        assert isinstance(result, Verification)
        assert (result.outcome, result.labels, result.findings) == (Outcome.PASS, (), ())


def far(b: Buffers) -> None:
    scale_add(b)
    b["out"][9] += np.float32(0.01)


def test_every_repeat_must_be_within_the_originals_own_error() -> None:
    base = evidence(scale_add, scale_add, order_before=SUMS, order_after=SUMS)
    assert verdict_on(replace(base, cases=varying(base.cases, left=far))).outcome is Outcome.FAIL
    both = varying(varying(base.cases, left=far), left=far, which="original")
    assert verdict_on(replace(base, cases=both)).outcome is Outcome.PASS, "the original spreads as far"


def test_runs_of_the_original_that_agree_by_luck_spread_as_those_of_other_cases() -> None:
    base = evidence(scale_add, far, order_before=SUMS, order_after=SUMS)
    for lucky_count, outcome in ((1, Outcome.PASS), (2, Outcome.FAIL)):
        spreading = varying(base.cases[lucky_count:], left=far, which="original")
        assert verdict_on(replace(base, cases=(*base.cases[:lucky_count], *spreading))).outcome is outcome


@pytest.mark.parametrize("kind", ["resized", "injected"])
def test_cases_of_our_own_making_allow_what_runs_of_the_original_usually_spread(kind: str) -> None:
    base = evidence(scale_add, scale_add, order_before=SUMS, order_after=SUMS)
    made = case(scale_add, far, seed=9, kind=kind, truth=truth)
    made = replace(made, origin=replace(made.origin, shape="n=511"))
    for cases, outcome in ((base.cases, Outcome.NEEDS_DECISION), (varying(base.cases, left=far, which="original"), Outcome.PASS)):
        assert verdict_on(replace(base, cases=(*cases, made))).outcome is outcome


def test_repeats_that_differ_without_anything_that_explains_it_are_a_race() -> None:
    base = evidence(scale_add, scale_add)
    result = verdict_on(replace(base, cases=varying(base.cases)))
    assert (result.outcome, codes(result), result.labels) == (Outcome.NEEDS_DECISION, {"race"}, ())
    exact = case(ranks, ranks, out=np.zeros(N, np.int32))
    assert codes(verdict_on(JudgeEvidence(varying((exact,)), AutoTolerance()))) == {"race"}


def ranks(b: Buffers) -> None:
    b["out"][:] = np.argsort(b["x"])


def swapped(b: Buffers) -> None:
    ranks(b)
    b["out"][[3, 7]] = b["out"][[7, 3]]


def replaced(b: Buffers) -> None:
    ranks(b)
    b["out"][3] = b["out"][7]


@pytest.mark.parametrize(
    ("before", "after", "outcome"),
    [(ARRIVALS, ARRIVALS, Outcome.PASS), (NO_ORDER, ARRIVALS, Outcome.NEEDS_DECISION), (NO_ORDER, NO_ORDER, Outcome.FAIL)],
)
def test_exact_values_in_another_order(before: OrderFacts, after: OrderFacts, outcome: Outcome) -> None:
    """Right where the original's own order is luck, for a person where only the edit's is, else wrong."""
    facts = JudgeEvidence((case(ranks, swapped, out=np.zeros(N, np.int32)),), AutoTolerance(), order_before=before, order_after=after)
    assert verdict_on(facts).outcome is outcome
    wrong = replace(facts, cases=(case(ranks, replaced, out=np.zeros(N, np.int32)),))
    assert verdict_on(wrong).outcome is Outcome.FAIL, "a value is missing"


def test_an_output_that_the_original_leaves_in_varying_order_is_compared_sorted() -> None:
    right, wrong = (case(ranks, kernel, out=np.zeros(N, np.int32)) for kernel in (ranks, replaced))
    right, wrong = varying((right, wrong), left=swapped, which="original")
    assert verdict_on(JudgeEvidence((right,), AutoTolerance(), order_before=ARRIVALS)).outcome is Outcome.PASS
    assert verdict_on(JudgeEvidence((wrong,), AutoTolerance(), order_before=ARRIVALS)).outcome is Outcome.FAIL


def test_an_edit_whose_results_depend_on_who_comes_first_is_labelled() -> None:
    exact = varying((case(ranks, ranks, out=np.zeros(N, np.int32)),), left=swapped)
    result = verdict_on(JudgeEvidence(exact, AutoTolerance(), order_after=ARRIVALS))
    assert result.outcome is Outcome.NEEDS_DECISION and Label.NON_DETERMINISM in result.labels


def summed(order: slice) -> Kernel:
    """out[i] = a sum of four neighbours, in a given order."""

    def kernel(b: Buffers) -> None:
        """Sums rows of four elements in the given order."""
        rows = b["x"].reshape(-1, 4)[:, order]
        total = np.zeros(len(rows), np.float32)
        with np.errstate(over="ignore", invalid="ignore"):
            for term in rows.T:
                total = total + term
        b["out"][: N // 4] = total

    return kernel


def with_huge_case(candidate: Kernel) -> Verification:
    """Judged on ordinary values, and on finite ones of which some sums overflow to infinity in one order and not in the other."""
    cases = [case(summed(slice(None)), candidate, seed=seed, kind="recorded" if seed == 1 else "resampled") for seed in (1, 2)]
    huge = inputs(9)
    top = np.finfo(np.float32).max / 2
    huge["x"][:4] = [top, top, top, -top]
    huge["x"][4:8] = [top, top, top, 1]
    result = judge(JudgeEvidence((*cases, case(summed(slice(None)), candidate, kind="huge", buffers=huge)), AutoTolerance()))
    assert isinstance(result, Verification)
    return result


def test_a_sum_that_overflows_in_another_order_only_informs() -> None:
    result = with_huge_case(summed(slice(None, None, -1)))
    assert result.outcome is Outcome.PASS and Label.REASSOCIATION in result.labels and Label.NAN_BEHAVIOUR not in result.labels


def test_an_overflow_that_is_hidden_is_for_a_person() -> None:
    def hidden(b: Buffers) -> None:
        summed(slice(None))(b)
        b["out"][: N // 4][~np.isfinite(b["out"][: N // 4])] = 0

    result = with_huge_case(hidden)
    assert result.outcome is Outcome.NEEDS_DECISION and result.labels == (Label.NAN_BEHAVIOUR,)
