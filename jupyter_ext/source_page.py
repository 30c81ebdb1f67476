"""A cell's source as HTML: the lines of a problem, the lines with their heat, findings with their evidence. Pure.

Lines are numbered as the notebook numbers the cell's. Example::

    problems_html(picture.cell, notes)
"""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from pathlib import Path

from assistant.cuda.edits import lines_of
from assistant.cuda.embedded.cell_launch import shown_line
from assistant.editor.report import FindingPart, LaunchPart, Row
from assistant.editor.view import Note, RelatedPlace
from jupyter_ext.cells import Cell
from jupyter_ext.plots import roofline_html
from jupyter_ext.proposal_page import CELL, MONO, NUMBER, ORANGE, RED, TABLE

__all__ = ["launch_html", "problem_line", "problems_html"]

_SEVERITY_GROUND = {"error": "#b71c1c", "warning": "#8a4b00", "information": "#0d47a1"}
"""Behind white letters: more than 4.5 to 1."""
_HEAT = ("transparent", *(ORANGE.format(tint) for tint in (0.12, 0.24, 0.36, 0.48)))
"""From no excess to the most, by ``Row.heat_step``."""
_COLUMNS = '<colgroup><col style="width:3em"><col><col style="width:18em"></colgroup>'
"""Number, text, heat: all in sight however long a line is."""
_MEANT, _OTHER = RED.format(0.28), ORANGE.format(0.24)
"""Ground of the line of a problem, and of the other access."""
_AROUND = 1
"""Lines shown before and after a line of a problem."""


def problems_html(cell: Cell, notes: Sequence[Note]) -> str:
    """Each problem with its kind, thread and other access; below them the lines that are meant, marked."""
    return "".join(_problem(cell, note) for note in notes) + _marked_source(cell, notes)


def problem_line(cell: Cell, note: Note) -> str:
    """``error line 5: out of bounds, block (3, 0, 0), thread (232, 0, 0): read of …; the other access: line 4``."""
    return f"{note.severity.value} line {cell.line_of(note.line)}: {_words(cell, note)}"


def launch_html(cell: Cell, launch: LaunchPart) -> str:
    """One launch: its facts, findings, lines and roofline."""
    findings = "".join(_finding(cell, finding) for finding in launch.findings)
    facts = "".join(f"<li>{escape(fact.name)}: <b>{escape(fact.value)}</b> ({escape(fact.note)})</li>" for fact in launch.facts)
    roofline = escape(launch.no_roofline) if launch.roofline is None else roofline_html(launch.roofline)
    heat = f'<div style="opacity:.8">Heat: {escape(launch.heat)}. {escape(launch.method)}.</div>'
    drawn = f"<details><summary>Roofline</summary>{roofline}</details>"
    rows = "".join(_row(cell, row) for row in launch.rows)
    return f'{findings}{_table(rows, "The source with its heat")}{heat}<ul style="margin:2px 0">{facts}</ul>{drawn}'


def _problem(cell: Cell, note: Note) -> str:
    return f"<div>{_badge(note.severity.value, note.severity.value)} line {cell.line_of(note.line)}: {escape(_words(cell, note))}</div>"


def _words(cell: Cell, note: Note) -> str:
    others = "".join(f"; {place.message}: {_place(cell, place)}" for place in note.related)
    return f"{f'{note.defect}: ' if note.defect else ''}{cell.said(note.message)}{others}"


def _place(cell: Cell, place: RelatedPlace) -> str:
    if place.file == str(cell.path):
        return f"line {cell.line_of(place.line)}"
    return f"{Path(place.file).name}:{place.line}"


def _marked_source(cell: Cell, notes: Sequence[Note]) -> str:
    lines = lines_of(shown_line(cell.text))
    meant = {note.line for note in notes}
    other = {place.line for note in notes for place in note.related if place.file == str(cell.path)} - meant
    shown = {line for at in meant | other for line in range(at - _AROUND, at + _AROUND + 1) if 1 <= line <= len(lines)}
    rows, before = list[str](), 0
    for line in sorted(shown):
        if before and line > before + 1:
            rows.append(_marked_row("⋯", "", "", ""))
        ground, mark = (_MEANT, "✗") if line in meant else (_OTHER, "the other access") if line in other else ("", "")
        rows.append(_marked_row(str(cell.line_of(line)), lines[line - 1].rstrip("\n"), ground, mark))
        before = line
    return _table("".join(rows), "The lines that are meant") if rows else ""


def _marked_row(number: str, text: str, ground: str, mark: str) -> str:
    colour = f"background:{ground}" if ground else "background:none"
    return (
        f'<tr><td style="{NUMBER}">{number}</td><td style="{CELL};{colour}">{escape(text)}</td>'
        f'<td style="{CELL};background:none">{mark}</td></tr>'
    )


def _badge(severity: str, words: str) -> str:
    ground = _SEVERITY_GROUND.get(severity, "#424242")
    return f'<span style="background:{ground};color:#fff;padding:0 5px;border-radius:3px">{escape(words)}</span>'


def _finding(cell: Cell, finding: FindingPart) -> str:
    cost = f". <i>{escape(finding.cost)}.</i>" if finding.cost else ""
    facts = (
        (fact, metric, value, line and f"line {cell.line_of(int(line))}", method, grade)
        for fact, metric, value, line, method, grade in finding.evidence
    )
    evidence = "".join(f"<li>{escape(' · '.join(part for part in fact if part))}</li>" for fact in facts)
    message = f"line {cell.line_of(finding.line)}: {escape(cell.said(finding.message))}"
    return f"<details><summary>{_badge(finding.severity, finding.code)} {message}{cost}</summary><ul>{evidence}</ul></details>"


def _table(rows: str, name: str) -> str:
    table = f'<table class="kernelopt-source" style="{MONO};{TABLE};margin:4px 0">{_COLUMNS}<tbody>{rows}</tbody></table>'
    return f'<div role="group" tabindex="0" aria-label="{name}" style="overflow-x:auto">{table}</div>'


def _row(cell: Cell, row: Row) -> str:
    colour = _HEAT[min(row.heat_step, len(_HEAT) - 1)]
    number = "⋯" if row.number is None else str(cell.line_of(row.now or row.number))
    heat, counters = escape(", ".join(row.heat)), "<br>".join(escape(counter) for counter in row.counters)
    if counters:
        heat = f"<details><summary>{heat or 'counters'}</summary>{counters}</details>"
    return (
        f'<tr><td style="{NUMBER}">{number}</td><td style="{CELL};background:{colour}">{escape(row.text)}</td>'
        f'<td style="{CELL};background:none">{heat}</td></tr>'
    )
