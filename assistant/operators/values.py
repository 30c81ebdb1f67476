"""Are the values of one output right? The rule for each output of the reference, and the comparison with what a candidate left there.

Floats are held to the reference's own error against float64 (``verify.tolerance``), or to what their rounding makes of the inputs where
that is more: on a CPU, PyTorch adds floats in double where on a GPU it does not. All else is equal bit by bit.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from assistant.model.verification import Outcome
from assistant.operators.evidence import Pass, ReferenceCase, TensorLeft
from assistant.profile.quantity import counted_noun
from assistant.record import Record
from assistant.verify.numbers import FloatArray, MaskArray, chosen, ieee, rms, shown
from assistant.verify.tolerance import (
    NO_ERRORS,
    Errors,
    allowance,
    errors_of,
    grade,
    is_plausible_reference,
    pooled,
    regrouping,
    usual_errors,
    worst_spread,
)

__all__ = ["Difference", "Rule", "compare", "compare_gradients", "rules_of", "unusable"]


_FRESH = "fresh memory holds NaN in these runs, and what is not written, or only added to, keeps it"
"""PyTorch fills what it allocates so where it is asked for deterministic results."""


class Difference(Record):
    """Where a candidate's values are not the reference's."""

    words: str
    index: int
    expected: str
    actual: str
    is_tolerable: bool = False
    """Near enough to be a matter of a lower precision that the candidate's text shows."""


class Rule(Record, eq=False):
    """How one output of one case is judged."""

    expected: TensorLeft
    truth: FloatArray | None
    """float64 values; None where elements are compared bit by bit."""
    own: Errors
    """What the reference itself errs by."""
    moved: Errors = NO_ERRORS
    """How far the result moves with the rounding of this case's inputs: of other cases that says nothing."""

    @property
    def places(self) -> MaskArray:
        """Where both the reference and its float64 values are numbers."""
        assert self.truth is not None
        return np.isfinite(self.truth) & np.isfinite(self.expected.values)

    def errors(self, actual: TensorLeft) -> Errors | None:
        """None of outputs that are compared bit by bit."""
        if self.truth is None or not self.truth.size:
            return None
        places = self.places & np.isfinite(actual.values)
        return errors_of(chosen(actual.values, places), chosen(self.truth, places))


def unusable(cases: Sequence[ReferenceCase]) -> str | None:
    """Why nothing can be held against this reference; None where it is repeatable."""
    for case in cases:
        for number, (first, second) in enumerate(zip(case.outputs, case.repeated, strict=True)):
            if first.data == second.data:
                continue
            if not first.is_floating or not _is_plausible(first.values, second.values, first.element.unit_roundoff or 0.0):
                return f"the reference returns other values for equal inputs (output {number}, {case.kind}, {case.shape})"
    return None


@ieee
def _is_plausible(first: FloatArray, second: FloatArray, roundoff: float) -> bool:
    places = np.isfinite(first) & np.isfinite(second)
    spread = worst_spread([second], first, places)
    return is_plausible_reference(spread, roundoff, chosen(first, places))


def rules_of(cases: Sequence[ReferenceCase]) -> tuple[tuple[Rule, ...], ...]:
    """For each case the rules of its outputs; errors of small outputs are pooled over the cases."""
    rules = [[_rule(case, number) for number in range(len(case.outputs))] for case in cases]
    for number in range(max((len(each) for each in rules), default=0)):
        held = [each[number] for each in rules if len(each) > number and each[number].truth is not None]
        scales = [rms(chosen(rule.truth, rule.places)) for rule in held if rule.truth is not None]
        counts = [rule.truth.size for rule in held if rule.truth is not None]
        better = dict(zip(map(id, held), pooled([rule.own for rule in held], scales, counts), strict=True))
        for each in rules:
            if len(each) > number and id(each[number]) in better:
                each[number] = replace(each[number], own=better[id(each[number])].at_least(each[number].moved))
    return tuple(tuple(each) for each in rules)


@ieee
def _rule(case: ReferenceCase, number: int) -> Rule:
    expected = case.outputs[number]
    if not expected.is_floating:
        return Rule(expected, None, NO_ERRORS)
    values, roundoff = expected.values, expected.element.unit_roundoff or 0.0
    wide = None if case.float64 is None else case.float64[number]
    truth = values
    own = NO_ERRORS
    if wide is not None and wide.shape == expected.shape and wide.is_floating:
        places = np.isfinite(values) & np.isfinite(wide.values)
        error = errors_of(chosen(values, places), chosen(wide.values, places))
        if is_plausible_reference(error, roundoff, chosen(wide.values, places), case.term_count):
            truth, own = wide.values, error
    places = np.isfinite(values) & np.isfinite(truth)
    runs = [run[number].values for run in case.perturbed if run[number].shape == expected.shape]
    spread = worst_spread([case.repeated[number].values], values, places) if case.repeated[number].data != expected.data else NO_ERRORS
    moved = worst_spread(runs, values, places) if runs else NO_ERRORS
    least = regrouping(roundoff, chosen(truth, places), case.term_count)
    return Rule(expected, truth, own.at_least(least) + spread, moved)


@ieee
def compare(rule: Rule, actual: TensorLeft, *, lowers_precision: bool) -> Difference | None:
    """None where ``actual``, of the same type and shape, is right."""
    if rule.truth is None:
        return _different_bits(rule.expected, actual)
    expected, values = rule.expected.values, actual.values
    special = ~np.isfinite(expected)
    odd = (special | ~np.isfinite(values)) & ~((expected == values) | (np.isnan(expected) & np.isnan(values)))
    if odd.any():
        at = int(np.argmax(odd))
        words = f"has NaN or infinities in {counted_noun(int(odd.sum()), 'element')} where the reference has none or others"
        found = _difference(rule.expected, actual, at, words, "first")
        return replace(found, words=f"{found.words}; {_FRESH}") if np.isnan(values[odd]).all() and not np.isnan(expected).any() else found
    places = rule.places
    if not places.any():
        return None
    truth, mine = chosen(rule.truth, places), chosen(values, places)
    errors = usual_errors(mine, truth)
    allowed = allowance(rule.own, rule.expected.element.unit_roundoff or 0.0, truth)
    outcome = grade(errors, allowed, lowers_precision)
    if outcome is Outcome.PASS:
        return None
    at = int(np.flatnonzero(places)[int(np.argmax(np.abs(mine - truth)))])
    words = f"is off by {errors.max:.3g} (rms {errors.rms:.3g}; {allowed.max:.3g} and {allowed.rms:.3g} are allowed)"
    return replace(_difference(rule.expected, actual, at, words), is_tolerable=outcome is Outcome.NEEDS_DECISION)


def compare_gradients(case: ReferenceCase, left: Pass, *, lowers_precision: bool) -> tuple[str, Difference] | None:
    """The first gradient that is wrong, with what it belongs to."""
    for name, expected in case.gradients.items():
        actual, wide = left.gradients.get(name), case.gradients64.get(name)
        said = f"the gradient of {name}"
        if actual is None:
            return said, Difference("is missing: nothing says how it is computed", 0, "a gradient", "none")
        if (actual.dtype, actual.shape) != (expected.dtype, expected.shape):
            return said, Difference(
                f"is {actual.dtype}{list(actual.shape)}",
                0,
                f"{expected.dtype}{list(expected.shape)}",
                f"{actual.dtype}{list(actual.shape)}",
            )
        single = replace(
            case,
            outputs=(expected,),
            repeated=(expected,),
            float64=None if wide is None else (wide,),
            perturbed=(),
            term_count=_terms(case, expected),
        )
        difference = compare(_rule(single, 0), actual, lowers_precision=lowers_precision)
        if difference is not None:
            return said, difference
    return None


def _terms(case: ReferenceCase, gradient: TensorLeft) -> float:
    """Each element of a gradient may be a sum over the outputs."""
    outputs = sum(len(output.data) // output.element.scalar_bytes for output in case.outputs[: case.output_count])
    count = max(1, len(gradient.data) // gradient.element.scalar_bytes)
    return max(case.term_count, outputs / count)


def _different_bits(expected: TensorLeft, actual: TensorLeft) -> Difference | None:
    if expected.data == actual.data:
        return None
    size = expected.element.scalar_bytes
    rows = (expected.patterns != actual.patterns).reshape(-1, size).any(axis=1)
    return _difference(expected, actual, int(np.argmax(rows)), f"differs in {int(rows.sum())} of {rows.size} elements", "first")


def _difference(expected: TensorLeft, actual: TensorLeft, at: int, words: str, which: str = "most") -> Difference:
    place = "[" + ", ".join(map(str, np.unravel_index(at, expected.shape))) + "]" if expected.shape else ""
    texts = shown(expected.data, expected.element, at), shown(actual.data, actual.element, at)
    return Difference(f"{words}; {which} at {place or 'its only element'}: expected {texts[0]}, got {texts[1]}", at, *texts)
