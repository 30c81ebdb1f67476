"""What counts as equal: for each output of the cases, how far a candidate may be from the original there.

Integers and moved data are compared bitwise; computed floats within the original's own error, which its reference, its repeats and
its runs on inputs moved by one ulp give. `compare` applies the rules.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace
from functools import cached_property

import numpy as np

from assistant.model.workload import FixedTolerance, Tolerance
from assistant.record import Record
from assistant.verify.evidence import CaseEvidence, Reference, SideRun
from assistant.verify.numbers import (
    FloatArray,
    Patterns,
    bits,
    chosen,
    element_of,
    floats,
    ieee,
    rms,
)
from assistant.verify.outputs import OutputBuffer, are_telling, find_outputs, is_moved_data, moved_values
from assistant.verify.tolerance import (
    NO_ERRORS,
    Allowance,
    Errors,
    allowance,
    errors_of,
    has_marks,
    is_plausible_reference,
    largest_of,
    one_by_one,
    pooled,
    regrouping,
    typical_sizes,
    usual_spread,
    with_marks_of,
    without_marks,
    worst_spread,
)

__all__ = ["PreparedOutput", "Spreads", "Unusable", "finite_reference", "need_tolerance", "own_error", "prepare", "usual_spreads"]


class PreparedOutput(Record, eq=False):
    """An output with the rule it is judged by."""

    output: OutputBuffer
    runs: tuple[SideRun, ...]
    """The original's."""
    is_exact: bool
    """Integers and moved data: bitwise."""
    reference: FloatArray | None
    """float64 truth per component; None for exact outputs."""
    own: Errors
    """E, the original's own error."""
    spread: Errors = NO_ERRORS
    """How far the original's own runs are apart; part of ``own``."""
    is_estimated: bool = False
    """No reference and no perturbed runs: E holds only the run-to-run spread."""
    is_stand_in: bool = False
    """``reference`` is what the original left."""
    is_unordered: bool = False
    """Which value stands where differs between the original's own runs, though they leave the same ones: compared sorted."""

    @cached_property
    def is_plain(self) -> bool:
        """An output of floats that the original's first run writes whole, with numbers alone, whose float64 values are all known."""
        left = self.runs[0].contents(self.output.buffer.id)
        if self.reference is None or left is None or not self.output.written.all():
            return False
        is_finite = np.isfinite(floats(left, self.output.element)).all() and np.isfinite(self.reference).all()
        return bool(is_finite) and not has_marks(self.reference, self.output.element.unit_roundoff or 0.0)

    @cached_property
    def allowed(self) -> Allowance:
        """How far any version of a plain output may be from its float64 values."""
        assert self.reference is not None
        return allowance(self.own, self.output.element.unit_roundoff or 0.0, self.reference, is_stand_in=self.is_stand_in)


Spreads = Mapping[tuple[str, str], Errors]
"""By kernel and buffer how far the original's own runs are apart, relative to the output's size."""


class Unusable(Record):
    """Why a case cannot be judged: the original contradicts itself or its reference."""

    case_index: int
    reason: str


@ieee
def prepare(
    cases: tuple[CaseEvidence, ...], declared: tuple[str, ...], tolerance: Tolerance, usual: Spreads | None = None
) -> tuple[tuple[PreparedOutput, ...], tuple[Unusable, ...]]:
    """The rule for every buffer of every case, and the cases that have none. ``usual``: spreads in other cases of the same kernels."""
    prepared, unusable = list[PreparedOutput](), list[Unusable]()
    for outputs in _by_buffer(cases, declared):
        is_moved = any(o.written.any() for o in outputs) and is_moved_data(outputs, cases)
        rules = list[PreparedOutput]()
        for output in outputs:
            rule = _rule(output, cases[output.case_index], is_moved, tolerance)
            if isinstance(rule, Unusable):
                unusable.append(rule)
            else:
                rules.append(rule)
        prepared.extend(_pool(rules, cases, usual or {}))
    return tuple(prepared), tuple(unusable)


@ieee
def usual_spreads(prepared: Sequence[PreparedOutput], cases: tuple[CaseEvidence, ...]) -> Spreads:
    """How far runs of the original are usually apart, relative to the output's size; by kernel and buffer."""
    found: dict[tuple[str, str], list[PreparedOutput]] = defaultdict(list)
    for rule in prepared:
        if rule.reference is not None:
            found[cases[rule.output.case_index].kernel, rule.output.name].append(rule)
    return {key: usual_spread([(rule.spread, rms(finite_reference(rule))) for rule in rules]) for key, rules in found.items()}


@ieee
def own_error(cases: tuple[CaseEvidence, ...], declared: tuple[str, ...], tolerance: Tolerance) -> float:
    """Largest relative error of the original's own results against their float64 values, over outputs whose values are believed."""
    found = 0.0
    for rule in prepare(cases, declared, tolerance)[0]:
        case, output = cases[rule.output.case_index], rule.output
        raw, left = dict(case.reference).get(output.buffer.id), rule.runs[0].contents(output.buffer.id)
        if rule.is_exact or rule.reference is None or raw is None or left is None or raw != rule.reference.tobytes():
            continue
        values = floats(left, output.element)
        places = output.written & np.isfinite(values) & np.isfinite(rule.reference)
        size = rms(rule.reference[places])
        found = max(found, errors_of(values[places], rule.reference[places]).rms / size if size else 0.0)
    return found


def need_tolerance(cases: tuple[CaseEvidence, ...], declared: tuple[str, ...]) -> list[bool]:
    """Per case whether an output of it may be compared within a tolerance, judged alone or with the others: a computed float.

    Cases that the original does not end are not judged.
    """
    ended = [index for index, case in enumerate(cases) if all(run.error is None for run in case.original)]
    needed = [False] * len(cases)
    for outputs in _by_buffer(tuple(cases[index] for index in ended), declared):
        compared = [output for output in outputs if output.element.is_floating and output.is_compared and output.written.any()]
        moved = [moved_values(output, cases[ended[output.case_index]]) for output in compared]
        for output, values in zip(compared, moved, strict=True):
            needed[ended[output.case_index]] |= None in moved or values is None or not are_telling(values)
    return needed


def _by_buffer(cases: tuple[CaseEvidence, ...], declared: tuple[str, ...]) -> Collection[list[OutputBuffer]]:
    """What may be written, gathered by kernel and name of the buffer."""
    found: dict[tuple[str, str], list[OutputBuffer]] = defaultdict(list)
    for output in find_outputs(cases, declared):
        found[cases[output.case_index].kernel, output.name].append(output)
    return found.values()


def _rule(output: OutputBuffer, case: CaseEvidence, is_moved: bool, tolerance: Tolerance) -> PreparedOutput | Unusable:
    element = output.element
    runs = [run for run in case.original if run.contents(output.buffer.id) is not None]
    contents = [run.contents(output.buffer.id) or b"" for run in runs]
    if any(len(data) != len(output.buffer.before) for data in contents) or not contents:
        return Unusable(output.case_index, f"the original left no contents of {output.name}")
    if not element.is_floating or is_moved or not output.is_compared or not output.written.any():
        is_varied = output.is_compared and _are_different([bits(data, element)[output.written] for data in contents])
        if is_varied and _are_different([np.sort(bits(data, element)[output.written]) for data in contents]):
            reason = f"the original's own runs leave different {element.name} values in {output.name}"
            return Unusable(output.case_index, reason + _maybe_unwritten(output))
        return PreparedOutput(output, tuple(runs), True, None, NO_ERRORS, is_unordered=is_varied)
    own = floats(contents[0], element)
    finite = output.written & np.isfinite(own)
    spread = worst_spread([floats(data, element) for data in contents[1:] if data != contents[0]], own, finite)
    roundoff = element.unit_roundoff or 0.0
    if not is_plausible_reference(spread, roundoff, chosen(own, finite)):
        reason = f"the original's own runs differ by {spread.max:.3g} in {output.name}"
        return Unusable(output.case_index, reason + _maybe_unwritten(output))
    rule = _from_reference(output, case, tuple(runs), own, spread, tolerance)
    return _from_spread(output, case, tuple(runs), own, spread) if rule is None else rule


def _are_different(left: Sequence[Patterns]) -> bool:
    return any((values != left[0]).any() for values in left)


def _maybe_unwritten(output: OutputBuffer) -> str:
    return " (it may read memory that nothing has written, or depend on the order of its threads)" if output.buffer.is_poisoned else ""


def _from_reference(
    output: OutputBuffer,
    case: CaseEvidence,
    runs: tuple[SideRun, ...],
    original: FloatArray,
    spread: Errors,
    tolerance: Tolerance,
) -> PreparedOutput | Unusable | None:
    """E against the declared or rebuilt r64; None when there is none to be believed.

    A rebuilt reference says nothing of a double output: it *is* the original.
    """
    element, raw = output.element, dict(case.reference).get(output.buffer.id)
    is_declared = case.reference_kind is Reference.DECLARED
    if raw is None or len(raw) != original.size * 8 or (not is_declared and element.scalar_bytes == 8):
        return None
    reference: FloatArray = np.frombuffer(raw, "<f8")
    places = output.written & np.isfinite(original) & np.isfinite(reference)
    truth = chosen(reference, places)
    values = with_marks_of(truth, chosen(original, places), element.unit_roundoff or 0.0)
    own = errors_of(values, truth)
    if isinstance(tolerance, FixedTolerance):
        is_believed = bool(np.all(np.abs(values - truth) <= tolerance.atol + tolerance.rtol * np.abs(truth)))
    else:
        is_believed = is_plausible_reference(own, element.unit_roundoff or 0.0, truth, _term_count(output, case))
    if is_believed:
        sensitivity = _sensitivity(output, case, original) or NO_ERRORS
        least = sensitivity.at_least(_regrouping(output, case, reference))
        return PreparedOutput(output, runs, False, reference, own.at_least(least) + spread, spread)
    if is_declared:
        reason = f"the original is {own.max:.3g} away from its declared reference in {output.name}"
        return Unusable(output.case_index, reason)
    return None


def _from_spread(
    output: OutputBuffer, case: CaseEvidence, runs: tuple[SideRun, ...], original: FloatArray, spread: Errors
) -> PreparedOutput:
    """E as the original's reaction to inputs moved by one ulp; the original itself stands for r64."""
    sensitivity = _sensitivity(output, case, original)
    values = chosen(original, output.written & np.isfinite(original))
    roundoff = output.element.unit_roundoff or 0.0
    adding = one_by_one(roundoff, values, case.longest_row)
    if output.element.scalar_bytes == 8:
        terms = max(_term_count(output, case), _looped_terms(output, case))
        adding = adding.at_least(_by_adding(output, original, one_by_one, terms))
    in_loops = regrouping(roundoff, values, _looped_terms(output, case))
    reordered = largest_of(_regrouping(output, case, original).at_least(in_loops), values.size)
    own = (sensitivity or NO_ERRORS).at_least(reordered).at_least(adding)
    is_estimated = sensitivity is None and not case.can_be_perturbed
    return PreparedOutput(output, runs, False, original, own + spread, spread, is_estimated=is_estimated, is_stand_in=True)


def _regrouping(output: OutputBuffer, case: CaseEvidence, reference: FloatArray) -> Errors:
    """What another order of additions may move the output by; in place, what is added to counts: `x -= mean` leaves less than it takes."""
    return _by_adding(output, reference, regrouping, _term_count(output, case))


def _by_adding(output: OutputBuffer, reference: FloatArray, estimate: Callable[[float, FloatArray, float], Errors], terms: float) -> Errors:
    unit_roundoff = output.element.unit_roundoff or 0.0
    after = estimate(unit_roundoff, chosen(reference, output.written & np.isfinite(reference)), terms)
    if output.buffer.is_poisoned or output.buffer.is_only_stored:
        return after
    before = floats(output.buffer.before, output.element)
    return after.at_least(estimate(unit_roundoff, chosen(before, output.written & np.isfinite(before)), terms))


def _term_count(output: OutputBuffer, case: CaseEvidence) -> float:
    """How many terms each element may be a sum of: the case's floating inputs, or its threads, per output.

    What is updated in place is input and output at once; there a thread may add up its share of the inputs before it writes them.
    """
    elements = ((buffer, element_of(buffer.element_type, len(buffer.before))) for buffer in case.buffers if not buffer.is_poisoned)
    inputs = sum(len(buffer.before) // element.scalar_bytes for buffer, element in elements if element.is_floating)
    of_each_output = max(inputs, case.thread_count) / max(1, int(output.written.sum()))
    of_each_thread = 0.0 if output.buffer.is_poisoned else inputs / max(1, case.thread_count)
    return max(1.0, of_each_output, of_each_thread)


def _looped_terms(output: OutputBuffer, case: CaseEvidence) -> float:
    """How many terms each element may be a sum of that a thread adds up in its loops; it may do so for several elements, one by one."""
    return case.iterations * case.thread_count / max(1, case.thread_count, int(output.written.sum()))


def _sensitivity(output: OutputBuffer, case: CaseEvidence, original: FloatArray) -> Errors | None:
    """How far inputs moved by one ulp move the output; None when that was not run."""
    perturbed = [run.contents(output.buffer.id) for run in case.perturbed if run.error is None]
    size = len(output.buffer.before)
    values = [floats(data, output.element) for data in perturbed if data is not None and len(data) == size]
    return worst_spread(values, original, output.written & np.isfinite(original)) if values else None


def _pool(rules: list[PreparedOutput], cases: tuple[CaseEvidence, ...], usual_elsewhere: Spreads) -> list[PreparedOutput]:
    """One buffer's outputs: how far runs are apart is shared by all cases, and all errors by small outputs (``tolerance.pooled``)."""
    inexact = [rule for rule in rules if rule.reference is not None]
    sizes = [rms(finite_reference(rule)) for rule in inexact]
    spread = usual_spread([(rule.spread, size) for rule, size in zip(inexact, sizes, strict=True)])
    for rule in inexact[:1]:
        spread = spread.at_least(usual_elsewhere.get((cases[rule.output.case_index].kernel, rule.output.name), NO_ERRORS))
    inexact = [replace(rule, own=rule.own + spread.times(size).beyond(rule.spread)) for rule, size in zip(inexact, sizes, strict=True)]
    usual = typical_sizes([(cases[rule.output.case_index].origin, size) for rule, size in zip(inexact, sizes, strict=True)])
    counts = [int(rule.output.written.sum()) for rule in inexact]
    both = (pooled([rule.own for rule in inexact], scales, counts) for scales in (sizes, usual))
    changed = [replace(rule, own=one.at_least(other)) for rule, one, other in zip(inexact, *both, strict=True)]
    return [rule for rule in rules if rule.reference is None] + changed


def finite_reference(rule: PreparedOutput) -> FloatArray:
    """The float64 truth where the original writes numbers."""
    assert rule.reference is not None
    values = chosen(rule.reference, rule.output.written & np.isfinite(rule.reference))
    return without_marks(values, rule.output.element.unit_roundoff or 0.0)
