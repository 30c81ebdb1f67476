"""Controls that test the test: kernels that are plainly wrong must fail on the cases that B is judged on.

No kernel is run: what a no-op, a zero, a constant and an input-blind kernel would leave behind is made up from the original's
runs and compared under the same tolerance.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import combinations

import numpy as np

from assistant.model.verification import CannotJudge, Outcome, Unjudgeable
from assistant.model.workload import Tolerance
from assistant.record import Record
from assistant.verify.compare import compare, is_surely_wrong
from assistant.verify.evidence import CaseEvidence
from assistant.verify.numbers import Patterns, Places, bits, sample_places
from assistant.verify.rules import PreparedOutput

__all__ = ["check_controls"]

_REMEDY = "declare a workload whose inputs vary and whose output depends on them (kernelopt init FILE)"


_LEAST_CHANGED_SHARE = 1 / 8
"""Share of the elements that two launches write; the number of elements, one more or less, changes few of them."""
_SAMPLE_COUNT = 4096
"""Elements of each output that are looked at before any output is compared whole: a control is wrong nearly everywhere."""
_EVERYWHERE = slice(None)


class _Control(Record):
    name: str
    after: Callable[[PreparedOutput, slice | Places], Patterns | None]
    """What the control leaves in these elements of the buffer; None where the control says nothing."""


def check_controls(
    cases: tuple[CaseEvidence, ...], prepared: tuple[PreparedOutput, ...], tolerance: Tolerance
) -> tuple[tuple[str, CannotJudge], ...]:
    """The kernels that these cases cannot judge, each with the reason; empty when every control fails, as it should."""
    kernels = dict.fromkeys(case.kernel for case in cases)
    weak = ((kernel, _weakness(kernel, cases, prepared, tolerance)) for kernel in kernels)
    return tuple((kernel, reason) for kernel, reason in weak if reason is not None)


def _weakness(
    kernel: str, cases: tuple[CaseEvidence, ...], prepared: tuple[PreparedOutput, ...], tolerance: Tolerance
) -> CannotJudge | None:
    mine = [p for p in prepared if cases[p.output.case_index].kernel == kernel]
    outputs = [p for p in mine if p.output.is_compared and p.output.written.any()]
    if not outputs:
        return CannotJudge(Unjudgeable.WEAK_WORKLOAD, f"{kernel} changes no memory in any case, so there is nothing to compare", _REMEDY)
    controls = (
        _Control("a kernel that does nothing", _unchanged),
        _Control("a kernel that writes zeros", _zeros),
        _Control("a kernel that writes one constant", _constant),
        _Control("a kernel whose output ignores its input", _frozen(cases, outputs)),
    )
    for control in controls:
        if _passes(control, outputs, tolerance) and not (control is controls[-1] and _follows_arguments(cases, outputs)):
            return CannotJudge(Unjudgeable.WEAK_WORKLOAD, f"this workload cannot judge {kernel}: {control.name} would pass", _REMEDY)
    return None


def _passes(control: _Control, outputs: list[PreparedOutput], tolerance: Tolerance) -> bool:
    """True when the control passes everywhere it says something, and does so somewhere."""
    said = [prepared for prepared in outputs if control.after(prepared, slice(0, 1)) is not None]
    for prepared in said:
        places = sample_places(prepared.output.written.size, _SAMPLE_COUNT)
        some = control.after(prepared, places)
        if some is not None and is_surely_wrong(prepared, some, places, tolerance):
            return False
    for prepared in said:
        after = control.after(prepared, _EVERYWHERE)
        if after is None:
            continue
        verdict = compare(prepared, after.tobytes(), prepared.runs[0].fill, tolerance, is_precision_changed=False)
        if verdict.outcome is not Outcome.PASS:
            return False
    return bool(said)


def _unchanged(prepared: PreparedOutput, places: slice | Places) -> Patterns:
    return bits(prepared.output.before(prepared.runs[0].fill), prepared.output.element)[places]


def _zeros(prepared: PreparedOutput, places: slice | Places) -> Patterns:
    return _filled(prepared, places, 0)


def _constant(prepared: PreparedOutput, places: slice | Places) -> Patterns | None:
    """The first value that the original writes, everywhere; says nothing of an output of one element."""
    written = prepared.output.written
    if np.count_nonzero(written) < 2:
        return None
    original = bits(_original(prepared), prepared.output.element)
    return _filled(prepared, places, int(original[int(np.argmax(written))]))


def _frozen(cases: tuple[CaseEvidence, ...], outputs: list[PreparedOutput]) -> Callable[[PreparedOutput, slice | Places], Patterns | None]:
    """The first case's output for every other case of the same shape on other inputs."""
    first: dict[tuple[str, str, int], PreparedOutput] = {}
    for prepared in outputs:
        first.setdefault(_key(cases, prepared), prepared)

    def after(prepared: PreparedOutput, places: slice | Places) -> Patterns | None:
        earlier = first[_key(cases, prepared)]
        mine, other = cases[prepared.output.case_index], cases[earlier.output.case_index]
        if earlier is prepared or _inputs(mine) == _inputs(other):
            return None
        left = bits(_original(earlier), earlier.output.element)[places]
        return np.where(prepared.output.written[places], left, _unchanged(prepared, places))

    return after


def _follows_arguments(cases: tuple[CaseEvidence, ...], outputs: list[PreparedOutput]) -> bool:
    """Whether launches on memory of the same sizes leave other results where they are passed other numbers, such as a seed: no draw of
    data changes what a kernel leaves that reads none."""

    def differ(a: PreparedOutput, b: PreparedOutput) -> bool:
        case, other = cases[a.output.case_index], cases[b.output.case_index]
        if a.output.name != b.output.name or case.passed == other.passed or _lengths(case) != _lengths(other):
            return False
        written = a.output.written & b.output.written
        changed = bits(_original(a), a.output.element)[written] != bits(_original(b), b.output.element)[written]
        return bool(changed.any()) and float(changed.mean()) > _LEAST_CHANGED_SHARE

    first: dict[tuple[str, tuple[str, ...]], PreparedOutput] = {}
    for output in outputs:
        first.setdefault((output.output.name, cases[output.output.case_index].passed), output)
    return any(differ(a, b) for a, b in combinations(first.values(), 2))


def _lengths(case: CaseEvidence) -> tuple[int, ...]:
    return tuple(len(buffer.before) for buffer in case.buffers)


def _key(cases: tuple[CaseEvidence, ...], prepared: PreparedOutput) -> tuple[str, str, int]:
    output = prepared.output
    return cases[output.case_index].origin.shape, output.name, len(output.buffer.before)


def _inputs(case: CaseEvidence) -> tuple[object, ...]:
    return (case.passed, *(buffer.before for buffer in case.buffers if not buffer.is_poisoned))


def _original(prepared: PreparedOutput) -> bytes:
    return prepared.runs[0].contents(prepared.output.buffer.id) or b""


def _filled(prepared: PreparedOutput, places: slice | Places, pattern: int) -> Patterns:
    before = _unchanged(prepared, places)
    return np.where(prepared.output.written[places], np.array(pattern, before.dtype), before)
