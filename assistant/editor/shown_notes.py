"""Which notes stand among a file's problems: one for each kernel and cause; what costs next to nothing is a hint. Pure.

A line's own hover, counters and code actions still show every note. Example::

    for shown in shown_notes(view):
        shown.note.related, shown.is_hint      # the other lines with the same cause; whether an editor lists it
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from assistant.editor.hover_words import short_message
from assistant.editor.view import KernelView, Note, RelatedPlace, View
from assistant.profile.findings import is_negligible
from assistant.record import Record

__all__ = ["ShownNote", "shown_notes"]

_SAME = "the same here"
_OF_ONE_CAUSE = frozenset({"profile", "static"})
"""Stages whose notes of one code in one kernel have one cause; two defects of a code may have two."""


class ShownNote(Record):
    """A note, and how much it asks for attention."""

    note: Note
    is_hint: bool
    """Editors mark a hint in the text and leave it out of their list of problems."""


def shown_notes(view: View) -> tuple[ShownNote, ...]:
    """In the order of their lines. Of several the costliest is shown, else the first; the others are its related places."""
    groups: dict[object, list[Note]] = {}
    for index, note in enumerate(view.notes):
        groups.setdefault(_cause(note, view.kernels) or index, []).append(note)
    shares = _shares(view.kernels)
    shown = [ShownNote(note, _is_hint(note, shares)) for note in map(_as_one, groups.values())]
    return tuple(sorted(shown, key=lambda each: (each.note.line, each.note.column)))


def _cause(note: Note, kernels: Sequence[KernelView]) -> object:
    """What notes on one cause have in common; None where a note stands for itself."""
    if note.code is None:
        return None
    if note.defect:
        return note.stage, note.code, note.line, note.defect.partition(",")[0]
    kernel = next((each.key for each in kernels if each.line <= note.line <= each.last_line), None)
    return None if kernel is None or note.stage not in _OF_ONE_CAUSE else (note.stage, note.code, kernel)


def _as_one(notes: Sequence[Note]) -> Note:
    first, *others = sorted(notes, key=lambda note: (-(note.cost_ratio or 0.0), note.line))
    places = [place for note in sorted(others, key=lambda note: note.line) for place in (*_own_place(first, note), *note.related)]
    return replace(first, related=tuple(dict.fromkeys((*first.related, *places)))) if others else first


def _own_place(first: Note, other: Note) -> Iterator[RelatedPlace]:
    if other.line != first.line:
        said = short_message(other)
        yield RelatedPlace("", other.line, _SAME if said == short_message(first) else said)


def _is_hint(note: Note, shares: dict[str, float]) -> bool:
    """Whether fixing it would gain less than a hundredth of the time of the file's kernels."""
    return note.cost_ratio is not None and is_negligible(note.cost_ratio * shares.get(note.kernel, 1.0))


def _shares(kernels: Sequence[KernelView]) -> dict[str, float]:
    """Share 0..1 of the predicted time of all of them, by key; empty where nothing is predicted."""
    costs = {kernel.key: sum(launch.cost_s for launch in kernel.launches) for kernel in kernels}
    total = sum(costs.values())
    return {key: cost / total for key, cost in costs.items()} if total > 0 else {}
