"""What reached the host in runs of the whole program, and how far the original's own runs are apart in it.

Example::

    pooled_spread(parts)     # {("float32", None, 4): 1e-07}: copies of one float, in a loop perhaps
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from math import sqrt

import numpy as np

from assistant.model.elements import ElementType
from assistant.model.structs import ElementLayout, Member
from assistant.record import Record
from assistant.verify.members import column, is_divisible
from assistant.verify.numbers import FloatArray, chosen, element_of, floats, guessed_type, rms
from assistant.verify.stdout import ROUNDED_FACTOR
from assistant.verify.tolerance import errors_of

__all__ = [
    "IN_MEMORY",
    "SEEN_WHILE_WAITING",
    "SMALL_COUNT",
    "HostData",
    "Part",
    "ProgramTrace",
    "TransferKind",
    "kind_of",
    "largest_growth",
    "largest_roundoff",
    "largest_sum_spread",
    "parts_of",
    "pooled_growth",
    "pooled_spread",
]

IN_MEMORY = "memory"
"""Kind of what a launch left in the GPU's memory, and nothing copied to the host."""
SEEN_WHILE_WAITING = frozenset({"managed", "exit"})
"""Kinds of transfers that no call asks for."""
SMALL_COUNT = 4
"""Floats of a transfer that is too small to show a spread of its own, or a mean that differs from its largest."""
_TURN_COUNT = 4
"""Transfers of one kind from which they are taken to be turns of one loop."""
_AMPLIFIED_ROUNDOFFS = 2.0**20
"""More than any sum or product of sums that this program may have on one path from its inputs to a result."""


class HostData(Record):
    """One transfer that reached the host."""

    kind: str
    data: bytes
    element_type: str | None
    name: str
    """For people: ``memcpy after launch 3``."""
    layout: ElementLayout | None = None
    """Layout of the structs, where it is known."""
    member: Member | None = None
    """Member of a struct whose column this is."""
    buffer: int | None = None
    """Id in its recording of what the bytes were taken from."""
    is_page_locked: bool = False
    """They are the host's own memory, seen when the host waited."""
    is_of_blocks: bool = False
    """Each block left its part, as partial sums are, and B's blocks share the work otherwise."""
    first_index: int = 0
    """Of its first element, where it is a part of a buffer."""

    def place(self, index: int) -> str:
        index += self.first_index
        return self.name + (f"[{index}]" if self.member is None else self.member.place(index))


class ProgramTrace(Record):
    """What one run of the whole program left."""

    exit_status: int | None
    """None when a signal ended it."""
    stdout: bytes
    transfers: tuple[HostData, ...]
    is_truncated: bool = False
    """Output was cut at its limit."""


class Part(Record):
    """One transfer, or the column of a member, in all runs."""

    original: HostData
    again: bytes
    candidate: bytes
    rounded: bytes


def parts_of(whole: Part) -> list[Part]:
    """It as it is, or a column per member of structs."""
    original, layout = whole.original, whole.original.layout
    if layout is None or not is_divisible(original.data, layout):
        return [whole]
    parts = list[Part]()
    for member in layout.members:
        every = (original.data, whole.again, whole.candidate, whole.rounded)
        mine, repeat, other, moved = (column(data, layout, member) for data in every)
        parts.append(Part(HostData(original.kind, mine, member.element.name, original.name, None, member), repeat, other, moved))
    return parts


TransferKind = tuple[str | None, str | None, int]
"""Element type, member and length in bytes."""


def kind_of(item: HostData) -> TransferKind:
    return item.element_type, None if item.member is None else item.member.path, len(item.data)


def pooled_spread(parts: Sequence[Part]) -> dict[TransferKind, float]:
    """How far the original's own runs are apart in small transfers of one kind (a residual, copied back in each turn of a loop).

    A single number may be the same by luck where its neighbours are not.
    """
    found: dict[TransferKind, float] = {}
    for original, again in ((part.original, part.again) for part in parts):
        element = element_of(original.element_type or guessed_type(original.data), len(original.data))
        if element.is_floating and len(original.data) <= SMALL_COUNT * element.scalar_bytes:
            with np.errstate(invalid="ignore"):
                moved = np.abs(floats(again, element) - floats(original.data, element))
            kind = kind_of(original)
            found[kind] = max(found.get(kind, 0.0), float(np.max(moved, where=np.isfinite(moved), initial=0.0)))
    return found


def pooled_growth(parts: Sequence[Part]) -> dict[TransferKind, float]:
    """How far, relative to their size, floats that are copied back in each turn of a loop move where the original rounds otherwise.

    What iterates carries a rounding on and makes it larger; two runs that round otherwise do so in different turns.
    """
    turns = Counter(kind_of(part.original) for part in parts)
    found: dict[TransferKind, list[float]] = {}
    for part in parts:
        if turns[kind_of(part.original)] < _TURN_COUNT:
            continue
        element = element_of(part.original.element_type or guessed_type(part.original.data), len(part.original.data))
        if element.is_floating:
            mine, moved = _finite_in_both(part.original.data, part.rounded, element)
            found.setdefault(kind_of(part.original), []).append(_relative_rms(moved, mine))
    return {kind: ROUNDED_FACTOR * max(moves) for kind, moves in found.items()}


def largest_sum_spread(original: ProgramTrace, again: ProgramTrace) -> float:
    """How far a sum over floats of one transfer may be apart in two runs of the original: √n times the root-mean-square of their n
    differences, the largest of all transfers. A sum that is printed may look the same twice by luck."""
    pairs = _floats_of_both(original, again)
    return max((sqrt(values.size) * errors_of(others, values).rms for values, others, _ in pairs if values.size), default=0.0)


def largest_growth(original: ProgramTrace, rounded: ProgramTrace) -> float:
    """How far, relative to their size, floats on the host move where the original rounds otherwise; 0 where that is what rounding does."""
    found = (
        (_relative_rms(others, values), element.unit_roundoff or 0.0) for values, others, element in _floats_of_both(original, rounded)
    )
    return max((share for share, roundoff in found if share > _AMPLIFIED_ROUNDOFFS * roundoff), default=0.0)


def _floats_of_both(first: ProgramTrace, second: ProgramTrace) -> Iterator[tuple[FloatArray, FloatArray, ElementType]]:
    """Floats of each transfer that differs, finite in both runs, and their type; none where the runs transfer other amounts."""
    if [(one.kind, len(one.data)) for one in first.transfers] != [(one.kind, len(one.data)) for one in second.transfers]:
        return
    for one, other in zip(first.transfers, second.transfers, strict=True):
        if one.data == other.data:
            continue
        element = element_of(one.element_type or guessed_type(one.data), len(one.data))
        if element.is_floating:
            yield *_finite_in_both(one.data, other.data, element), element


def _finite_in_both(first: bytes, second: bytes, element: ElementType) -> tuple[FloatArray, FloatArray]:
    values, others = floats(first, element), floats(second, element)
    usable = np.isfinite(values) & np.isfinite(others)
    return chosen(values, usable), chosen(others, usable)


def _relative_rms(values: FloatArray, reference: FloatArray) -> float:
    """Deviation from ``reference``, as a share of its size; 0 where all of it is 0."""
    size = rms(reference)
    return errors_of(values, reference).rms / size if size else 0.0


def largest_roundoff(trace: ProgramTrace) -> float:
    """Largest roundoff of floats that reach the host by copies whose type is known; 0 where none do."""
    known = (element_of(item.element_type, len(item.data)) for item in trace.transfers if item.element_type is not None)
    return max((element.unit_roundoff or 0.0 for element in known if element.is_floating), default=0.0)
