"""What is known of a cell as HTML and as plain text: for the panel, and for whatever shows a notebook without running it. Pure.

No script, nothing to load. Words and lines take the colour of the text around them, whatever the theme; what is coloured brings its own
ground. Example::

    report_html(state, picture)
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from html import escape

from assistant.editor.picture import comparison_sentence
from assistant.editor.report import FindingPart, LaunchPart, Row
from assistant.editor.report_comparison import judgement_part
from assistant.editor.view import Note
from assistant.model.proposal import DECIDABLE_STATES, Decision
from jupyter_ext.plots import comparison_html, roofline_html
from jupyter_ext.proposal_page import CELL, MONO, NUMBER, PROSE, TABLE, proposal_html, proposal_lines
from jupyter_ext.runs import RunState, Step
from jupyter_ext.workshop import Picture

__all__ = [
    "NO_DECISIONS",
    "Decisions",
    "answer_html",
    "course_html",
    "course_text",
    "how_to_decide",
    "panel_html",
    "panel_text",
    "report_html",
    "report_text",
]

Decisions = Mapping[str, Decision]
"""The last decision on each proposal that has one, by the proposal's id."""
NO_DECISIONS: Decisions = {}
_MARKS = {"waiting": "·", "running": "▶", "done": "✓", "failed": "✗", "cancelled": "–"}
_SEVERITY_GROUND = {"error": "#b71c1c", "warning": "#8a4b00", "information": "#0d47a1"}
"""Behind white letters: more than 4.5 to 1."""
_HEAT = ("transparent", "#fff3e0", "#ffe0b2", "#ffcc80", "#ffb74d")
"""From no excess to the most, by ``Row.heat_step``; orange 50 to 300 of the Material palette."""
_COLUMNS = '<colgroup><col style="width:3em"><col><col style="width:18em"></colgroup>'
"""Number, text, heat: all in sight however long a line is."""
_CHECK_STAGES = frozenset({"compile", "check"})


def panel_html(state: RunState, picture: Picture | None, decisions: Decisions = NO_DECISIONS) -> str:
    """All of it, without anything to press."""
    return course_html(state) + ("" if picture is None else report_html(state, picture, decisions))


def panel_text(state: RunState, picture: Picture | None) -> str:
    """The same in lines, for a terminal."""
    parts = (course_text(state), "" if picture is None else report_text(state, picture))
    return "\n".join(part for part in parts if part)


def course_html(state: RunState) -> str:
    """The questions and what came of each."""
    rows = "".join(_step(step) for step in state.steps)
    said = "".join(f"<li>{escape(message)}</li>" for message in state.messages)
    budget = f"<div>Budget: {escape(state.budget)}</div>" if state.budget else ""
    messages = f'<ul style="margin:4px 0">{said}</ul>' if said else ""
    return f'<div class="kernelopt-course" role="status" style="{PROSE}">{rows}{budget}{messages}</div>'


def course_text(state: RunState) -> str:
    lines = [f"{_mark(step)} {_step_words(step)}" for step in state.steps]
    lines += [f"budget: {state.budget}"] if state.budget else []
    return "\n".join([*lines, *state.messages])


def report_html(state: RunState, picture: Picture, decisions: Decisions = NO_DECISIONS) -> str:
    """What was found and what is proposed: the comparison with the previous version, findings, the source with its heat, proposals."""
    parts = [_judged(state), "".join(_note(note) for note in _defects(picture.view.notes))]
    for kernel in picture.report.kernels:
        parts.append(f'<div style="margin:6px 0 2px"><b>{escape(kernel.name)}</b> {escape(kernel.headline)}</div>')
        parts += [_launch(launch) for launch in kernel.launches[:1]]
    parts += [proposal_html(item, decisions.get(item.id), is_newest=index == 0) for index, item in enumerate(picture.proposals)]
    return f'<div class="kernelopt-report" style="{PROSE}">{"".join(parts)}</div>'


def report_text(state: RunState, picture: Picture) -> str:
    lines: list[str] = []
    if state.comparison is not None:
        lines.append(f"against the previous version: {comparison_sentence(state.comparison)}")
    for part in picture.report.kernels:
        lines.append(f"{part.name}: {part.headline}")
        lines += [f"  {f.code} line {f.line}: {f.message}" for launch in part.launches[:1] for f in launch.findings]
    lines += [f"  {note.severity.value} line {note.line}: {note.message}" for note in _defects(picture.view.notes)]
    return "\n".join([*lines, *(line for proposal in picture.proposals for line in proposal_lines(proposal))])


def answer_html(answer: str) -> str:
    """What came of a decision."""
    return f'<div role="status" style="{PROSE}">{escape(answer)}</div>'


def how_to_decide(picture: Picture) -> str:
    """In place of buttons, where none can be shown; empty where nothing is open."""
    names = [proposal.id for proposal in picture.proposals if proposal.state in DECIDABLE_STATES]
    return "\n".join(f"to decide on {name}: %kernelopt accept {name}, or %kernelopt reject {name} why" for name in names)


def _step(step: Step) -> str:
    weight = ' style="font-weight:600"' if step.phase in ("failed", "running") else ""
    return f'<div{weight}><span aria-hidden="true">{_mark(step)}</span> {escape(_step_words(step))}</div>'


def _step_words(step: Step) -> str:
    taken = "" if step.taken_s is None else f" ({step.taken_s:.1f} s)"
    return f"{step.verb.value}: {step.text or step.phase}{taken}"


def _mark(step: Step) -> str:
    return "✗" if step.exit_code not in (None, 0) else _MARKS[step.phase]


def _judged(state: RunState) -> str:
    if state.comparison is None:
        return ""
    return f"<div>Against the previous version: {comparison_html(judgement_part(state.comparison))}</div>"


def _defects(notes: Sequence[Note]) -> Iterator[Note]:
    """What compilers and checks found; what counters show stands with its launch."""
    return (note for note in notes if note.stage in _CHECK_STAGES)


def _note(note: Note) -> str:
    return f"<div>{_badge(note.severity.value, note.severity.value)} line {note.line}: {escape(note.message)}</div>"


def _badge(severity: str, words: str) -> str:
    ground = _SEVERITY_GROUND.get(severity, "#424242")
    return f'<span style="background:{ground};color:#fff;padding:0 5px;border-radius:3px">{escape(words)}</span>'


def _launch(launch: LaunchPart) -> str:
    findings = "".join(_finding(finding) for finding in launch.findings)
    facts = "".join(f"<li>{escape(fact.name)}: <b>{escape(fact.value)}</b> ({escape(fact.note)})</li>" for fact in launch.facts)
    roofline = escape(launch.no_roofline) if launch.roofline is None else roofline_html(launch.roofline)
    heat = f'<div style="opacity:.8">Heat: {escape(launch.heat)}. {escape(launch.method)}.</div>'
    drawn = f"<details><summary>Roofline</summary>{roofline}</details>"
    return f'<ul style="margin:2px 0">{facts}</ul>{findings}{_source(launch.rows)}{heat}{drawn}'


def _finding(finding: FindingPart) -> str:
    cost = f". <i>{escape(finding.cost)}.</i>" if finding.cost else ""
    evidence = "".join(
        f"<li>{escape(' · '.join(part for part in (fact, metric, value, line and f'line {line}', method, grade) if part))}</li>"
        for fact, metric, value, line, method, grade in finding.evidence
    )
    return (
        f"<details><summary>{_badge(finding.severity, finding.code)} line {finding.line}: {escape(finding.message)}{cost}</summary>"
        f"<ul>{evidence}</ul></details>"
    )


def _source(rows: Sequence[Row]) -> str:
    shown = "".join(_row(row) for row in rows)
    table = f'<table class="kernelopt-source" style="{MONO};{TABLE};margin:4px 0">{_COLUMNS}<tbody>{shown}</tbody></table>'
    return f'<div role="group" tabindex="0" aria-label="The source with its heat" style="overflow-x:auto">{table}</div>'


def _row(row: Row) -> str:
    colour = _HEAT[min(row.heat_step, len(_HEAT) - 1)]
    ink = ";color:#111" if row.heat_step else ""
    number = "⋯" if row.number is None else str(row.number)
    heat, counters = escape(", ".join(row.heat)), "<br>".join(escape(counter) for counter in row.counters)
    if counters:
        heat = f"<details><summary>{heat or 'counters'}</summary>{counters}</details>"
    return (
        f'<tr><td style="{NUMBER}">{number}</td><td style="{CELL};background:{colour}{ink}">{escape(row.text)}</td>'
        f'<td style="{CELL};background:none">{heat}</td></tr>'
    )
