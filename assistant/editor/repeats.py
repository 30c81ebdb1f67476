"""Removes repeated notes: of two compilers, of check and profile, of small grids, and of the text where a run knows better. Pure.

Example::

    reported = without_repeats(notes)
    ReportedNotes(reported, kernels).answers(static_note)     # True: that note is not needed
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence, Set
from dataclasses import astuple, replace

from assistant.editor.analysis import Analysis
from assistant.editor.view import KernelView, Note, RelatedPlace
from assistant.model import events
from assistant.model.build import DiagnosticSeverity
from assistant.model.profile import Severity
from assistant.profile.problems import IN_STEP

__all__ = ["ReportedNotes", "without_repeated_errors", "without_repeats"]

_RUNNING = frozenset({"check", "profile"})
"""Stages that run the program, and meet its defects on the way."""
_TOLD_APART_BY_MESSAGE = frozenset({"compile", "check"})
"""Stages that may find two of a kind on a line: a read and a write that are both out of bounds."""
_SMALL_GRID = "KO111"
"""One small input makes the grids of many launches small."""
_OF_LANES = "KO207"
_IN_STEP = tuple(kind.replace("_", " ") for kind in IN_STEP)
_OF_NEIGHBOURS = frozenset({"KO101", "KO102"})
_FAR_APART = "far apart"
_FAR_APART_WORDS = ("addresses far apart", "threads lie apart")
_RANK = {Severity.ERROR: 0, Severity.WARNING: 1, Severity.INFORMATION: 2}
_ANSWERED_BY_MACHINE_CODE = frozenset({"KO106", "KO116"})


class ReportedNotes:
    """The notes of jobs, looked up by place."""

    def __init__(self, notes: Iterable[Note], kernels: Sequence[KernelView]) -> None:
        self._kernels = sorted(kernels, key=lambda kernel: kernel.line)
        self._starts = [kernel.line for kernel in self._kernels]
        self._lines = {(note.code, note.line) for note in notes}
        self._around = {(code, kernel.line) for code, line in self._lines if (kernel := self._kernel_around(line)) is not None}

    def answers(self, note: Note) -> bool:
        """Has a run, or machine code, the better answer to what the text alone suggests?"""
        around = self._kernel_around(note.line)
        if (note.code, note.line) in self._lines or (around is not None and (note.code, around.line) in self._around):
            return True
        return note.code in _ANSWERED_BY_MACHINE_CODE and around is not None and not around.is_stale and _has_machine_code(around)

    def _kernel_around(self, line: int) -> KernelView | None:
        at = bisect_right(self._starts, line) - 1
        return self._kernels[at] if at >= 0 and line <= self._kernels[at].last_line else None


def without_repeats(notes: Iterable[Note], kernels: Sequence[KernelView] = ()) -> tuple[Note, ...]:
    """One note of each kind and place: launches of a kernel repeat their findings, commands their diagnostics.

    Of what one cause does on many lines, one line has the note: grids that one input makes small, neighbouring threads
    far apart in one of the ``kernels``, lanes in step.
    """
    kept: dict[object, Note] = {}
    for note in notes:
        has_own_message = note.stage in _TOLD_APART_BY_MESSAGE
        key = (note.line, note.column, note.code, note.message) if has_own_message else (note.line, note.code, note.stage, note.proposal)
        first = kept.get(key)
        if first is None or (note.cost_ratio or 0.0) > (first.cost_ratio or 0.0):
            kept[key] = note
    defects = {(n.line, n.code) for n in kept.values() if n.stage == "check"}
    defective = {line for line, code in defects if code is not None}
    once = [n for n in kept.values() if not _is_repeated(n, defects, defective)]
    return tuple(_with_one_of_a_cause(list(_with_one_small_grid(once)), kernels))


def _with_one_small_grid(notes: Sequence[Note]) -> Iterator[Note]:
    """Of the launches whose grids are too small, the one that it costs most has the note; the others are related places."""
    small = sorted((n for n in notes if n.code == _SMALL_GRID), key=lambda n: (_RANK[n.severity], -(n.cost_ratio or 0.0), n.line))
    if small:
        others = tuple(RelatedPlace("", n.line, n.message) for n in sorted(small[1:], key=lambda n: n.line))
        yield replace(small[0], related=(*small[0].related, *others))
    yield from (n for n in notes if n.code != _SMALL_GRID)


def _with_one_of_a_cause(notes: Sequence[Note], kernels: Sequence[KernelView]) -> Iterator[Note]:
    """Of a kernel's notes with one cause the costliest, else the first one, has the others as related places."""
    groups: dict[tuple[str, ...], list[Note]] = {}
    for note in sorted(notes, key=lambda n: (-(n.cost_ratio or 0.0), n.line)):
        kernel = next((k for k in kernels if k.line <= note.line <= k.last_line), None)
        cause = None if kernel is None else _cause(note)
        if kernel is not None and cause is not None:
            groups.setdefault((note.stage, cause, kernel.key), []).append(note)
    related = {id(first): tuple(RelatedPlace("", n.line, "the same here") for n in _by_line(others)) for first, *others in groups.values()}
    hidden = {id(n) for _, *others in groups.values() for n in others}
    for note in notes:
        if id(note) not in hidden:
            yield replace(note, related=(*note.related, *related.get(id(note), ())))


def _cause(note: Note) -> str | None:
    """What all lines of a kernel have in common that are noted for it: which threads are neighbours, or that lanes go in step."""
    if note.code == _OF_LANES and note.defect.startswith(_IN_STEP):
        return note.defect.partition(",")[0]
    if note.stage == "profile" and note.code in _OF_NEIGHBOURS:
        return _FAR_APART if any(words in note.message for words in _FAR_APART_WORDS) else None
    return None


def _by_line(notes: Iterable[Note]) -> list[Note]:
    return sorted(notes, key=lambda note: note.line)


def without_repeated_errors(command: str, analysis: Analysis, inspected: Analysis | None) -> Analysis:
    """Without another compiler's messages on a text that the CUDA compiler already refuses."""
    if command == "inspect" or inspected is None or inspected.text != analysis.text:
        return analysis
    errors = (d for event in inspected.all(events.Diagnostics) for d in event.diagnostics if d.severity is DiagnosticSeverity.ERROR)
    if next(errors, None) is None:
        return analysis
    return replace(analysis, events=tuple(event for event in analysis.events if not isinstance(event, events.Diagnostics)))


def _is_repeated(note: Note, defects: Set[tuple[int, str | None]], defective: Set[int]) -> bool:
    """Whether the check reports the same there: a finding of the same code, or a defect of which the note is the message alone."""
    if note.code is None:
        return note.stage in _RUNNING and note.source == "kernelopt" and note.severity is Severity.ERROR and note.line in defective
    return note.stage != "check" and (note.line, note.code) in defects


def _has_machine_code(kernel: KernelView) -> bool:
    profiles = (launch.profile for launch in kernel.launches if launch.profile is not None)
    return any(any(astuple(profile.instructions)) for profile in profiles)
