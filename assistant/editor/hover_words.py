"""The text of a hover: at most `HOVER_LINES` lines of Markdown, what it costs first; tables are one click further. Pure.

Example::

    line_hover(view, 11)     # ['**Each store request touches 32 sectors where 4 would do**', 'The threads … · KO101 · costs ≈ 14 % …', …]
"""

from __future__ import annotations

from collections.abc import Sequence

from assistant.editor.lens_row import NOT_PROFILED, in_vain, state_in_words, state_origin
from assistant.editor.markdown import tamed
from assistant.editor.offer_words import offer_origin, outdated_origin
from assistant.editor.program_words import program_about
from assistant.editor.stalls import hot_stalls, stall_hint
from assistant.editor.view import KernelView, LineView, Note, View
from assistant.editor.words import counter_source, line_words, resource_line
from assistant.model.profile import Severity
from assistant.profile.remedies import remedy, remedy_within_line
from assistant.profile.wording import main_clause, number, percent

__all__ = ["HOVER_LINES", "cost_in_words", "kernel_hover", "line_hover", "short_message"]

HOVER_LINES = 5
_LEAST_SHOWN_RATIO = 0.005
"""Least cost of a note that is shown: a smaller one would be shown as 0 %."""
_SAY_COUNTERS = frozenset({"KO101", "KO102", "KO103"})
"""Findings whose own words are the line's counters."""
_RANK = {Severity.ERROR: 0, Severity.WARNING: 1, Severity.INFORMATION: 2}


def kernel_hover(kernel: KernelView, view: View) -> list[str]:
    """What is known of a kernel; an open proposal is what it costs not to take it."""
    if kernel.proposal is not None:
        summary, *rest = (outdated_origin if kernel.is_offer_outdated else offer_origin)(kernel.proposal)
        return [f"**{tamed(summary)}**", *map(tamed, rest)][: HOVER_LINES - 1]
    state = state_in_words(kernel, view.notes)
    origin = state_origin(kernel, view.notes).split("\n") if state else []
    known = [f"**{tamed(state or NOT_PROFILED)}**", *map(tamed, origin)]
    searched = in_vain(kernel, view.notes)
    about = (tamed(searched[:1].upper() + searched[1:]), resource_line(kernel), tamed(program_about(view.programs).partition("\n")[0]))
    rest = [line for line in about if line]
    return [*known[: HOVER_LINES - 1 - len(rest)], *rest]


def line_hover(view: View, line: int, is_noted: bool = False) -> list[str]:
    """What a line costs, why, what would fix it, and who counted. Empty: nothing is known of it.

    ``is_noted``: the editor itself shows the diagnostics of a line in its hover, so they are not said twice, and ``More`` has room.
    """
    counters = [item for item in view.lines if item.line == line]
    notes = sorted((n for n in view.notes if n.line == line and _is_explained(n)), key=_order)
    stalls = hot_stalls(view, also=(line,)).get(line, [])
    lines: list[str] = []
    if notes and not is_noted:
        lines += _headline(notes[0])
    fix = next(filter(None, map(_fix, notes)), None)
    if fix is not None:
        lines.append(tamed(f"{fix[0].upper()}{fix[1:]}."))
    if counters and not (notes and notes[0].code in _SAY_COUNTERS):
        lines.append(line_words(counters)[0])
    if counters:
        lines.append(_counted(counters))
    if stalls:
        lines.append(stall_hint(view, stalls))
    return lines[:HOVER_LINES]


def short_message(note: Note) -> str:
    """A note in one line, for diagnostics: its main clause, with what it costs."""
    if note.stage != "profile":
        return note.message
    cost = cost_in_words(note)
    return main_clause(note.message) + (f" ({cost})" if cost else "")


def cost_in_words(note: Note) -> str:
    """``costs ≈ 14 % of the kernel's time``; empty where it is not modelled, or next to nothing."""
    if note.cost_ratio is None or note.cost_ratio < _LEAST_SHOWN_RATIO:
        return ""
    return f"costs ≈ {percent(note.cost_ratio)} of the kernel's time"


def _fix(note: Note) -> str | None:
    """Of a race of a line with itself what helps there: nothing can stand between its accesses."""
    is_within_line = any(place.line == note.line for place in note.related)
    return (remedy_within_line if note.defect and is_within_line else remedy)(note.code or "", note.message)


def _headline(note: Note) -> list[str]:
    """What is so, then why, the finding's code and its cost."""
    what, _, why = main_clause(note.message).partition(": ")
    parts = [tamed(why[:1].upper() + why[1:]), note.code or "", cost_in_words(note)]
    return [f"**{tamed(what)}**", " · ".join(part for part in parts if part)]


def _is_explained(note: Note) -> bool:
    return note.code is not None and note.stage in ("check", "profile", "static")


def _order(note: Note) -> tuple[int, float]:
    return _RANK[note.severity], -(note.cost_ratio or 0.0)


def _counted(items: Sequence[LineView]) -> str:
    """``counted exactly: 480 requests in the costliest launch, by CPU emulator (counting rules of sm_90)``."""
    first = items[0]
    requests = f"{number(sum(item.counters.requests for item in items))} requests"
    how = "counted exactly" if all(item.counters.grade == "exact" for item in items) else "estimated"
    return f"{how}: {requests} in the costliest launch, by {counter_source(first)}"
