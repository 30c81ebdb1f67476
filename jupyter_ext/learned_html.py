"""What memory learnt as HTML below a cell: a table for each state with its medians drawn, then sequences, lessons, reasons. Pure.

No number is made here: they come in parts, as every front end shows them. Without script, legible in any theme. Example::

    learned_html(learned_page(store.what_was_learned(), store.attempts(limit=40)))
"""

from __future__ import annotations

from collections.abc import Iterable
from html import escape

from assistant.editor.learned_page import AxisPart, LearnedPage, TechniquePart, TriedPart

__all__ = ["learned_html", "learned_text"]

_WIDTH, _HEIGHT, _MARGIN = 220, 18, 8
_CAP = 5
"""Half of the strokes at an interval's ends."""
_POINT = "#ef6c00"
"""Orange 800 of the Material palette: more than 3 to 1 against a white and against a black page."""
_CELL = "padding:1px 8px 1px 0;text-align:left;vertical-align:middle;font-weight:normal;background:none"
_HEADS = ("technique", "tried on", "right", "median [interval]")
_SHOWN_REASONS = 10


def learned_html(page: LearnedPage) -> str:
    """The tables; lessons, sequences and reasons are folded."""
    parts = [f"<p>{escape(page.nothing)}</p>"] if page.nothing else []
    for state in page.states:
        rows = "".join(_row(part, page.axis) for part in state.techniques)
        heads = "".join(f'<th scope="col" style="{_CELL}"><b>{name}</b></th>' for name in _HEADS)
        axis = "" if page.axis is None else _ticks(page.axis)
        head = f'<tr>{heads}<td style="{_CELL}">{axis}</td><td></td><td></td></tr>'
        parts.append(f"<div><b>{escape(state.title)}</b> ({escape(state.device)})</div><table>{head}{rows}</table>")
    parts += [_folded("Sequences that are offered as one step", _list(page.sequences))] if page.sequences else []
    lessons = (f"<div>{escape(each.technique)} ({escape(each.id)})</div>{_list(each.statements)}" for each in page.lessons)
    parts += [_folded("Lessons", "".join(lessons))] if page.lessons else []
    reasons = "".join(map(_reason, page.tried[:_SHOWN_REASONS]))
    parts += [_folded("Why each edit was tried when it was", f"<table>{reasons}</table>")] if page.tried else []
    return "".join(parts)


def learned_text(page: LearnedPage) -> str:
    """The same as plain lines."""
    lines = [page.nothing] if page.nothing else []
    for state in page.states:
        lines.append(f"{state.title} ({state.device})")
        for part in state.techniques:
            words = (part.kernels, f"right {part.right}" if part.right else "", part.speed, part.how, part.people, part.imported)
            lines.append(f"  {part.technique}  {'; '.join(word for word in words if word)}")
    lines += [f"together: {sequence}" for sequence in page.sequences]
    lines += [f"lesson on {each.technique}: {statement}" for each in page.lessons for statement in each.statements]
    lines += [f"{each.technique} on {each.kernel} was tried {each.tried}" for each in page.tried[:_SHOWN_REASONS]]
    return "\n".join(lines)


def _row(part: TechniquePart, axis: AxisPart | None) -> str:
    how = ", ".join(word for word in (part.how, part.imported) if word)
    drawn = "" if axis is None or part.place is None else _drawn(part.place, part, axis)
    name = f'<th scope="row" style="{_CELL}">{escape(part.technique)}</th>'
    figures = _cells((part.kernels, part.right, part.speed))
    return f'<tr>{name}{figures}<td style="{_CELL}">{drawn}</td>{_cells((how, part.people))}</tr>'


def _drawn(place: float, part: TechniquePart, axis: AxisPart) -> str:
    """The median with its interval next to 1.00x; the same stands in words beside it."""
    middle = _HEIGHT // 2
    lines = f'<line x1="{_x(axis.one)}" x2="{_x(axis.one)}" y1="0" y2="{_HEIGHT}" stroke="currentColor" stroke-dasharray="3 2"/>'
    if part.low is not None and part.high is not None:
        caps = "".join(f"M{_x(end)} {middle - _CAP}V{middle + _CAP}" for end in (part.low, part.high))
        lines += f'<path d="{caps}M{_x(part.low)} {middle}H{_x(part.high)}" fill="none" stroke="currentColor" stroke-width="1.5"/>'
    lines += f'<circle cx="{_x(place)}" cy="{middle}" r="4" fill="{_POINT}"/>'
    return f'<svg width="{_WIDTH}" height="{_HEIGHT}" aria-hidden="true">{lines}</svg>'


def _ticks(axis: AxisPart) -> str:
    look = 'y="11" fill="currentColor" font-size="10" text-anchor="middle"'
    texts = "".join(f'<text x="{_x(place)}" {look}>{text}</text>' for place, text in axis.ticks)
    return f'<svg width="{_WIDTH}" height="14" role="img" aria-label="logarithmic, from slower to faster">{texts}</svg>'


def _x(place: float) -> str:
    return f"{_MARGIN + place * (_WIDTH - 2 * _MARGIN):.1f}"


def _reason(part: TriedPart) -> str:
    cells = (f"{part.technique} on {part.kernel}", f"tried {part.tried}", f"{part.outcome}: {part.reason}")
    return f"<tr>{_cells(cells)}</tr>"


def _cells(texts: Iterable[str]) -> str:
    return "".join(f'<td style="{_CELL}">{escape(text)}</td>' for text in texts)


def _folded(title: str, inner: str) -> str:
    return f"<details><summary>{title}</summary>{inner}</details>"


def _list(texts: Iterable[str]) -> str:
    items = "".join(f"<li>{escape(text)}</li>" for text in texts)
    return f'<ul style="margin:2px 0">{items}</ul>'
