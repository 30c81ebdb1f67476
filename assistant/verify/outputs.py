"""Which bytes of a case are outputs: those the original changes, found by running it.

Example::

    for output in find_outputs(cases, ()):
        output.name, output.written.sum()
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable

import numpy as np

from assistant.model.elements import ElementType, parse_element_type
from assistant.record import Record
from assistant.verify.evidence import BufferFacts, CaseEvidence, SideRun
from assistant.verify.numbers import MaskArray, Patterns, bits, chosen, element_of
from assistant.verify.tolerance import SMALL_OUTPUT

__all__ = ["OutputBuffer", "are_telling", "find_outputs", "has_small_output", "is_moved_data", "matching_run", "moved_values"]

_SAMPLE_COUNT = 16
"""Values looked up before all are sorted: computed results differ at once."""
_MOST_LOOKED_UP = 1 << 22
"""Of more values some are looked up, at even distances: of results that are computed, next to none are among the inputs."""
_MINIMUM_DISTINCT = 3
"""Distinct nonzero values that an output must hold over all cases before it can count as moved data."""


class OutputBuffer(Record, eq=False):
    """One buffer of a case: where it may change, and what the original made of it."""

    case_index: int
    buffer: BufferFacts
    element: ElementType
    written: MaskArray
    """Per component: the original changes it, in this case or (unless poisoned) in another of the same shape."""
    is_compared: bool
    """False for changed buffers that the block does not list as outputs: only unchanged parts are checked."""

    @property
    def name(self) -> str:
        return self.buffer.label

    @property
    def is_untyped(self) -> bool:
        """No arithmetic type is known, so that bytes stand for it."""
        return self.buffer.element_type is None or parse_element_type(self.buffer.element_type) is None

    def before(self, fill: int) -> bytes:
        """Contents before a run whose poison is ``fill``."""
        return bytes([fill]) * len(self.buffer.before) if self.buffer.is_poisoned else self.buffer.before


def find_outputs(cases: tuple[CaseEvidence, ...], declared: tuple[str, ...]) -> tuple[OutputBuffer, ...]:
    """Every buffer but scratch of every case, with what the original writes; the original must have run in each."""
    masks: dict[tuple[int, int], MaskArray] = {}
    by_shape: dict[tuple[str, str, str, int], list[MaskArray]] = defaultdict(list)
    for index, case in enumerate(cases):
        for buffer in case.buffers:
            mask = _written(buffer, case.original)
            masks[index, buffer.id] = mask
            if not buffer.is_poisoned:
                by_shape[case.kernel, case.origin.shape, buffer.label, mask.size].append(mask)
    together = {key: np.logical_or.reduce(siblings) if len(siblings) > 1 else siblings[0] for key, siblings in by_shape.items()}
    outputs = list[OutputBuffer]()
    for index, case in enumerate(cases):
        for buffer in case.buffers:
            if buffer.is_scratch:
                continue
            mask = masks[index, buffer.id]
            key = case.kernel, case.origin.shape, buffer.label, mask.size
            written: MaskArray = mask if buffer.is_poisoned else together[key]
            element = element_of(buffer.element_type, len(buffer.before))
            is_compared = not declared or buffer.name in declared
            outputs.append(OutputBuffer(index, buffer, element, written, is_compared))
    return tuple(outputs)


def is_moved_data(outputs: Iterable[OutputBuffer], cases: tuple[CaseEvidence, ...]) -> bool:
    """True when every value the original writes is one of the case's inputs, bit for bit (or zero).

    Then copying, transposing, sorting, max and the like are all it does, and B must do so exactly. ``outputs`` are one buffer
    over all cases.
    """
    distinct: set[int] = set()
    for output in outputs:
        values = moved_values(output, cases[output.case_index])
        if values is None:
            return False
        distinct |= values
    return are_telling(distinct)


def are_telling(moved: set[int]) -> bool:
    """Whether values are too many to be among the inputs by chance."""
    return len(moved) >= _MINIMUM_DISTINCT


def moved_values(output: OutputBuffer, case: CaseEvidence) -> set[int] | None:
    """Some of the nonzero bit patterns that the original writes there; None where one is not among the case's inputs."""
    distinct: set[int] = set()
    inputs = _input_patterns(case, output.element)
    known: Patterns | None = None
    for run in case.original:
        if not run.is_comparable:
            continue
        after = run.contents(output.buffer.id)
        if after is None or len(after) != len(output.buffer.before):
            return None
        values = chosen(bits(after, output.element), output.written)
        if not all(any((part == value).any() for part in inputs) for value in values[:_SAMPLE_COUNT]):
            return None
        known = np.sort(np.concatenate(inputs)) if known is None else known
        values = np.sort(
            values[:: -(-values.size // _MOST_LOOKED_UP) or 1]
        )  # np.unique and np.isin hash, which takes twenty times as long (numpy 2.4)
        if not _are_among(values, known):
            return None
        firsts = np.flatnonzero(values[1:] != values[:-1])[: _MINIMUM_DISTINCT + 1]
        distinct.update(int(value) for value in (*values[:1], *values[firsts + 1]) if value)
    return distinct


def has_small_output(buffers: tuple[BufferFacts, ...], original: tuple[SideRun, ...]) -> bool:
    """True when the original writes a floating output of so few elements that its error must be estimated by perturbed runs."""
    for buffer in buffers:
        element = element_of(buffer.element_type, len(buffer.before))
        written = 0 if buffer.is_scratch or not element.is_floating else int(_written(buffer, original).sum())
        if 0 < written < SMALL_OUTPUT:
            return True
    return False


def matching_run(runs: tuple[SideRun, ...], fill: int) -> SideRun:
    """The run with the same poison as the one it is compared with; the first when there is none."""
    return next((run for run in runs if run.fill == fill), runs[0])


def _written(buffer: BufferFacts, runs: tuple[SideRun, ...]) -> MaskArray:
    element = element_of(buffer.element_type, len(buffer.before))
    written: MaskArray = np.zeros(len(buffer.before) // element.scalar_bytes, np.bool_)
    for run in runs:
        after = run.contents(buffer.id)
        if after is None or len(after) != len(buffer.before) or (not buffer.is_poisoned and after == buffer.before):
            continue
        poison = int.from_bytes(bytes([run.fill]) * element.scalar_bytes, "little")
        written |= bits(after, element) != (poison if buffer.is_poisoned else bits(buffer.before, element))
        if written.all():
            break
    return written


def _are_among(values: Patterns, known: Patterns) -> bool:
    """Whether each value is one of ``known``, which is sorted and not empty."""
    places = np.searchsorted(known, values)
    return bool(np.all(known[np.minimum(places, known.size - 1)] == values))


def _input_patterns(case: CaseEvidence, element: ElementType) -> list[Patterns]:
    """Bit patterns of all values of the element's width: zero, then those in each of the case's initial buffers."""
    parts: list[Patterns] = [np.zeros(1, np.dtype(f"<u{element.scalar_bytes}"))]
    for buffer in case.buffers:
        other = element_of(buffer.element_type, len(buffer.before))
        if not buffer.is_poisoned and (other.kind, other.scalar_bytes) == (element.kind, element.scalar_bytes):
            parts.append(bits(buffer.before, element))
    return parts
