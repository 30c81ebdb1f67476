"""What a program's host brings to the device, as a case whose values can be changed; and which contents of B correspond to A's.

Example::

    given = uploaded((Piece(data, element, None, "x"),), most_places=1000)
    for drawn in draws(given, seed=7):
        other_contents(given, drawn.cases[0])     # {bytes as they were: bytes in their place}
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial

import numpy as np

from assistant.model.elements import ElementType
from assistant.model.launch import Dim3, LaunchConfig
from assistant.model.recording import BufferState, RecordedBuffer, RecordedLaunch, Recording
from assistant.model.structs import ElementLayout
from assistant.model.workload import CaseOrigin
from assistant.record import Record
from assistant.workload.arrays import decode, encode
from assistant.workload.derive import changed, contents_of, fresh_values, typed_buffers
from assistant.workload.draws import MIRRORED, Draw
from assistant.workload.marks import Marks, is_limit_marked
from assistant.workload.members import with_members
from assistant.workload.recordings import NewCase, blob_name
from assistant.workload.relabel import may_be_places, relabelled
from assistant.workload.resample import tied, with_tail
from assistant.workload.unseen import TELLING_KINDS, changed_buffers, with_unseen

__all__ = [
    "DrawnValues",
    "Piece",
    "UploadedContents",
    "categories_in",
    "counterpart",
    "draws",
    "is_constant",
    "other_contents",
    "uploaded",
    "words_of",
]

_FEW_INTEGERS = 4
"""Integers that come in so small a group are sizes, counters and flags, and stay."""
_NAMES_SHOWN = 4
"""Names shown of what changed, members of structs each for itself."""
_SMALL_VALUES = 8
"""Memory that was zero is filled with whole numbers below this."""
_MOST_ALONE = 3
"""Arrays whose integers are made large while others stay."""
_MOST_CATEGORIES, _FEWEST_OF_CATEGORIES = 8, 64
"""Bytes of so few different values, in so many places, are letters, classes or flags."""
_MOST_PIECES = 256
"""Contents that another one is searched for in."""


class Piece(Record):
    """Contents of one upload."""

    data: bytes
    element: ElementType | None
    """None where it is not known; they stay then."""
    layout: ElementLayout | None
    """Layout of the structs."""
    name: str
    """For people: of what they are uploaded to."""


class UploadedContents(Record):
    """The distinct contents that a program uploads, as the buffers of a case without a kernel."""

    case: NewCase
    layouts: Mapping[int, ElementLayout]
    names: Mapping[int, str]
    """For people, by the case's buffer."""
    most_places: int
    """Elements of the program's largest buffer: no index of it is higher."""
    marks: Marks = frozenset()
    """What the program fills memory with."""


class DrawnValues(Record):
    """One kind of other values: versions of it from the one that changes most to the one that changes least."""

    kind: str
    cases: tuple[NewCase, ...]


def uploaded(pieces: Sequence[Piece], most_places: int, marks: Marks = frozenset()) -> UploadedContents:
    """``pieces`` as one case; of those with equal contents the first counts."""
    buffers, states, blobs = list[RecordedBuffer](), list[BufferState](), dict[str, bytes]()
    distinct = {piece.data: piece for piece in reversed(pieces)}
    kept = tuple(distinct[piece.data] for piece in {piece.data: piece for piece in pieces}.values())
    for identity, piece in enumerate(kept):
        name = blob_name(piece.data)
        buffers.append(RecordedBuffer(identity, len(piece.data), 0, None, "device", element_type=_unless_few(piece)))
        states.append(BufferState(identity, name, None))
        blobs[name] = piece.data
    launch = RecordedLaunch(0, "", LaunchConfig(Dim3(1, 1, 1), Dim3(1, 1, 1), 0), (), tuple(states), "", 0)
    case = NewCase(Recording(tuple(buffers), (launch,), (), ()), blobs, (0,), CaseOrigin("recorded", "", 0, 1.0, 0.0))
    layouts = {identity: piece.layout for identity, piece in enumerate(kept) if piece.layout is not None}
    return UploadedContents(case, layouts, {identity: piece.name for identity, piece in enumerate(kept)}, most_places, marks)


def draws(uploaded: UploadedContents, seed: int) -> Iterator[DrawnValues]:
    """Other values, those of the program's own kinds first; versions that change nothing are left out."""
    floats, integers = ("below", "tiny"), ("zeroed", "same", "runs", "limits")
    kinds = (
        {"resampled": _resampled, "tied": _tied, "large": _large, "negative": _negative}
        | {kind: partial(_unseen, kind=kind) for kind in (*floats, *integers)}
        | {"limit": _limit}
    )
    for index, (kind, make) in enumerate(kinds.items()):
        cases = dict.fromkeys(_FixedCase(case) for case in make(uploaded, seed + index) if changed_buffers(uploaded.case, case))
        if cases:
            yield DrawnValues(kind, tuple(replace(one.case, origin=replace(one.case.origin, kind=kind)) for one in cases))
    yield from _large_alone(uploaded, seed)


def categories_in(uploaded: UploadedContents, case: NewCase) -> tuple[str, ...] | None:
    """The names of what ``case`` changes where all of it are bytes of a few different values, as letters or flags; None elsewhere."""
    types, contents = typed_buffers(uploaded.case), contents_of(uploaded.case)
    changed_ones = changed_buffers(uploaded.case, case)
    for buffer in changed_ones:
        element = types.get(buffer)
        if element is None or element.scalar_bytes != 1 or len(contents[buffer]) < _FEWEST_OF_CATEGORIES:
            return None
        if np.unique(decode(contents[buffer], element)).size > _MOST_CATEGORIES:
            return None
    return tuple(sorted(uploaded.names[buffer] for buffer in changed_ones))


def _large_alone(uploaded: UploadedContents, seed: int) -> Iterator[DrawnValues]:
    """Integers that may be places, or just small amounts: each array by itself."""
    types, contents = typed_buffers(uploaded.case), contents_of(uploaded.case)
    integers = [b for b, element in types.items() if element.is_integer]
    doubtful = [b for b in integers if may_be_places(decode(contents[b], types[b]), uploaded.most_places)]
    for buffer in doubtful[:_MOST_ALONE] if len(integers) > 1 else ():
        case = relabelled(uploaded.case, "large", seed, uploaded.layouts, None, frozenset({buffer}))
        if changed_buffers(uploaded.case, case):
            yield DrawnValues("large", (case,))


def other_contents(uploaded: UploadedContents, drawn: NewCase) -> dict[bytes, bytes]:
    """Contents as the program has them → those of the draw; all of them, changed or not."""
    after = contents_of(drawn)
    return {data: after[buffer] for buffer, data in contents_of(uploaded.case).items()}


def counterpart(data: bytes, others: Mapping[bytes, bytes]) -> bytes | None:
    """What stands for ``data`` where ``others`` says what stands for each upload: one of them, a part of one, or several in a row.

    None where ``data`` is nothing of the kind, or where two places disagree.
    """
    if data in others or is_constant(data):
        return others.get(data, data)
    if len(others) > _MOST_PIECES:
        return None
    inside = {other[at : at + len(data)] for whole, other in others.items() for at in _places(data, whole)}
    if inside:
        return inside.pop() if len(inside) == 1 else None
    found, place = list[bytes](), 0
    longest_first = sorted(others, key=len, reverse=True)
    while place < len(data):
        part = next((whole for whole in longest_first if data.startswith(whole, place)), None)
        if part is None:
            return None
        found.append(others[part])
        place += len(part)
    return b"".join(found)


def _places(data: bytes, whole: bytes) -> Iterator[int]:
    """Where ``data`` begins in ``whole``; of very many places the first."""
    at = whole.find(data)
    for _ in range(_MOST_PIECES):
        if at < 0:
            return
        yield at
        at = whole.find(data, at + 1)


def is_constant(data: bytes) -> bool:
    """All bytes alike: cleared memory, which shows nothing of a program's values."""
    return data.count(data[:1]) == len(data)


class _FixedCase(Record):
    """A case that equals those of the same contents."""

    case: NewCase

    def __hash__(self) -> int:
        return hash(tuple(state.before for state in self.case.recording.launches[0].buffers))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _FixedCase) and self.case.recording.launches[0].buffers == other.case.recording.launches[0].buffers


def _resampled(uploaded: UploadedContents, seed: int) -> Iterator[NewCase]:
    redrawn = fresh_values(uploaded.case, Draw(seed, integers="redrawn"), uploaded.layouts)
    yield fresh_values(redrawn, Draw(seed, zeros="filled"), uploaded.layouts)
    yield fresh_values(uploaded.case, Draw(seed, integers="kept"), uploaded.layouts)


def _tied(uploaded: UploadedContents, seed: int) -> Iterator[NewCase]:
    yield changed(uploaded.case, tied, replace(uploaded.case.origin, seed=seed), uploaded.layouts)


def _large(uploaded: UploadedContents, seed: int) -> Iterator[NewCase]:
    for most_places in (None, uploaded.most_places):
        integers = relabelled(uploaded.case, "large", seed, uploaded.layouts, most_places)
        yield with_unseen(integers, "far", seed, uploaded.layouts) or integers
    yield relabelled(uploaded.case, "large", seed, uploaded.layouts, uploaded.most_places)


def _negative(uploaded: UploadedContents, seed: int) -> Iterator[NewCase]:
    """Also small numbers in members of structs that are 0 everywhere: an edit may have left such a member out."""
    below = relabelled(uploaded.case, "negative", seed, uploaded.layouts, None)
    members = changed(below, _refilled, below.origin, uploaded.layouts, frozenset(uploaded.layouts))
    few_places = relabelled(uploaded.case, "negative", seed, uploaded.layouts, uploaded.most_places)
    for integers in (members, below, few_places):
        yield fresh_values(integers, Draw(seed, MIRRORED, "kept", has_mixed_signs=True), uploaded.layouts)
    yield few_places


def _unseen(uploaded: UploadedContents, seed: int, kind: str) -> Iterator[NewCase]:
    """Unseen contents; of floats first without the zeros that are data: one of them is larger than all that are negative."""
    if kind in TELLING_KINDS:
        dense = fresh_values(uploaded.case, Draw(seed, integers="kept", zeros="filled"), uploaded.layouts)
        yield with_unseen(dense, kind, seed, uploaded.layouts) or uploaded.case
    yield with_unseen(uploaded.case, kind, seed, uploaded.layouts, marks=uploaded.marks) or uploaded.case


def _limit(uploaded: UploadedContents, seed: int) -> Iterator[NewCase]:
    """Not where the program has the limit for a mark of its own."""
    types = typed_buffers(uploaded.case)
    chosen = frozenset(b for b in contents_of(uploaded.case) if b not in types or not is_limit_marked(types[b], uploaded.marks))
    yield relabelled(uploaded.case, "limit", seed, uploaded.layouts, uploaded.most_places, chosen)


def _refilled(data: bytes, element: ElementType, random: np.random.Generator) -> bytes:
    values = decode(data, element)
    return data if values.any() else with_tail(encode(random.integers(1, _SMALL_VALUES, values.size), element), data)


def _unless_few(piece: Piece) -> str | None:
    element = piece.element
    if element is None:
        return None
    return None if not element.is_floating and len(piece.data) <= _FEW_INTEGERS * element.scalar_bytes else element.name


def words_of(uploaded: UploadedContents, drawn: NewCase) -> str:
    """``x from -250 to -1 and ps.kind from …``, of the first that changed."""
    types, before, after = typed_buffers(drawn), contents_of(uploaded.case), contents_of(drawn)
    shown = list[str]()
    for one in changed_buffers(uploaded.case, drawn):
        name, layout = uploaded.names[one], uploaded.layouts.get(one)
        if one in types:
            shown.append(f"{name}{_range(after[one], types[one])}")
        elif layout is not None:
            columns = zip(layout.members, _columns(before[one], layout), _columns(after[one], layout), strict=True)
            shown += [f"{name}.{member.path}{_range(new, member.element)}" for member, old, new in columns if old != new]
    return " and ".join(dict.fromkeys(shown[:_NAMES_SHOWN]))


def _columns(data: bytes, layout: ElementLayout) -> list[bytes]:
    """The column of each member."""
    found = list[bytes]()

    def keep(column: bytes, element: ElementType) -> bytes:
        found.append(column)
        return column

    with_members(data, layout, keep)
    return found


def _range(data: bytes, element: ElementType) -> str:
    values = decode(data, element)
    finite = values[np.isfinite(values)]
    return f" from {finite.min():.4g} to {finite.max():.4g}" if finite.size else ""
