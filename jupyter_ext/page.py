"""What is known of a cell as HTML and as plain text: for the panel, and for whatever shows a notebook without running it. Pure.

No script, nothing to load; colours follow JupyterLab's variables where they are set. Example::

    panel_html(state, picture)
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher
from html import escape

from assistant.desk.picture import comparison_sentence, proposal_title
from assistant.desk.report import FindingPart, LaunchPart, RooflinePart, Row
from assistant.desk.view import Note
from assistant.model.proposal import Proposal, ProposalState
from assistant.source.edits import lines_of
from assistant.source.hunks import unified_diff
from jupyter_ext.runs import RunState, Step
from jupyter_ext.workshop import Picture

__all__ = ["analysis_html", "course_html", "diff_html", "panel_html", "panel_text", "proposal_html"]

_OPEN = frozenset({ProposalState.OPEN, ProposalState.UNDONE})
_MARKS = {"waiting": "·", "running": "▶", "done": "✓", "failed": "✗", "cancelled": "–"}
_SEVERITY_COLOUR = {"error": "#c62828", "warning": "#b26a00", "information": "#1565c0"}
_HEAT = ("transparent", "#fff3e0", "#ffe0b2", "#ffcc80", "#ffb74d", "#ff9800")
"""From no excess to the most, by ``Row.heat_step``; orange 50 to 500 of the Material palette."""
_MONO = "font-family:var(--jp-code-font-family,monospace);font-size:12px;line-height:1.4"
_PROSE = "line-height:1.5"
"""Said here as ipywidgets' own is that of a button."""
_CELL = "padding:0 6px;white-space:pre;text-align:left;vertical-align:top"
_NUMBER = "padding:0 6px;opacity:.5;text-align:right;vertical-align:top"
_CHECK_STAGES = frozenset({"compile", "check"})


def panel_html(state: RunState, picture: Picture | None) -> str:
    """All of it, without anything to press."""
    parts = [course_html(state)]
    if picture is not None:
        parts += [analysis_html(state, picture), *(proposal_html(proposal) for proposal in picture.proposals)]
    return f'<div class="kernelopt-static">{"".join(parts)}</div>'


def panel_text(state: RunState, picture: Picture | None) -> str:
    """The same in lines, for a terminal."""
    lines = [f"{_mark(step)} {step.verb.value}: {step.told or step.phase}" for step in state.steps]
    lines += state.messages
    if state.comparison is not None:
        lines.append(f"against the previous version: {comparison_sentence(state.comparison)}")
    for part in () if picture is None else picture.report.kernels:
        lines.append(f"{part.name}: {part.headline}")
        lines += [f"  {f.code} line {f.line}: {f.message}" for launch in part.launches[:1] for f in launch.findings]
    for note in () if picture is None else _defects(picture.view.notes):
        lines.append(f"  {note.severity.value} line {note.line}: {note.message}")
    for proposal in () if picture is None else picture.proposals:
        lines.append(f"{proposal.id} ({proposal.state.value}): {proposal_title(proposal)}")
        if proposal.state in _OPEN:
            lines.append(unified_diff(proposal.before_text, proposal.after_text, proposal.path.name).rstrip())
    return "\n".join(lines)


def course_html(state: RunState) -> str:
    """The questions and what came of each."""
    rows = "".join(_step(step) for step in state.steps)
    said = "".join(f"<li>{escape(message)}</li>" for message in state.messages)
    budget = f'<div style="opacity:.8">{escape(state.budget)}</div>' if state.budget else ""
    messages = f'<ul style="margin:4px 0">{said}</ul>' if said else ""
    return f'<div role="status" style="{_PROSE}">{rows}{budget}{messages}</div>'


def analysis_html(state: RunState, picture: Picture) -> str:
    """Findings, the source with its heat, the roofline, and the comparison with the previous version."""
    parts = [_judged(state), "".join(_note(note) for note in _defects(picture.view.notes))]
    for kernel in picture.report.kernels:
        parts.append(f'<div style="margin:6px 0 2px"><b>{escape(kernel.name)}</b> {escape(kernel.headline)}</div>')
        for launch in kernel.launches[:1]:
            parts.append(_launch(launch))
    return f'<div style="{_PROSE}">{"".join(parts)}</div>'


def proposal_html(proposal: Proposal) -> str:
    """One proposal: what it is, how it was judged, and the change side by side."""
    labels = ", ".join(label.value for label in proposal.verification.labels)
    verdict = f"{proposal.verification.outcome.value}{f' ({labels})' if labels else ''}"
    head = f"<b>{escape(proposal.id)}</b> {escape(proposal.state.value)}: {escape(proposal_title(proposal))}"
    why = f'<div style="opacity:.85">{escape(verdict)}: {escape(proposal.summary)}</div>'
    return f'<div style="margin-top:8px;{_PROSE}">{head}{why}{diff_html(proposal.before_text, proposal.after_text)}</div>'


def diff_html(before: str, after: str, context: int = 2) -> str:
    """Both texts side by side, changed lines coloured, a few lines around each change."""
    old, new = lines_of(before), lines_of(after)
    rows: list[str] = []
    for group in SequenceMatcher(None, old, new, autojunk=False).get_grouped_opcodes(context):
        if rows:
            rows.append('<tr><td colspan="4" style="text-align:center;opacity:.6">⋯</td></tr>')
        for tag, low, high, after_low, after_high in group:
            count = max(high - low, after_high - after_low)
            for index in range(count):
                left = _half(old, low + index, high, "#ffebee" if tag != "equal" else "")
                right = _half(new, after_low + index, after_high, "#e8f5e9" if tag != "equal" else "")
                rows.append(f"<tr>{left}{right}</tr>")
    head = '<tr><th></th><th style="text-align:left">as it is</th><th></th><th style="text-align:left">proposed</th></tr>'
    return f'<table class="kernelopt-diff" style="{_MONO};border-collapse:collapse">{head}{"".join(rows)}</table>'


def _half(lines: Sequence[str], index: int, end: int, colour: str) -> str:
    if index >= end:
        return f'<td></td><td style="{_CELL}"></td>'
    background = f";background:{colour};color:#111" if colour else ""
    text = escape(lines[index].rstrip("\n"))
    return f'<td style="{_NUMBER}">{index + 1}</td><td style="{_CELL}{background}">{text}</td>'


def _step(step: Step) -> str:
    colour = {"failed": "color:#c62828", "running": "font-weight:600"}.get(step.phase, "")
    return f'<div style="{colour}">{_mark(step)} {step.verb.value}: {escape(step.told or step.phase)}</div>'


def _mark(step: Step) -> str:
    return "✗" if step.exit_code not in (None, 0) else _MARKS[step.phase]


def _judged(state: RunState) -> str:
    if state.comparison is None:
        return ""
    return f"<div>Against the previous version: {escape(comparison_sentence(state.comparison))}</div>"


def _defects(notes: Sequence[Note]) -> Iterator[Note]:
    """What compilers and checks found; what counters show stands with its launch."""
    return (note for note in notes if note.stage in _CHECK_STAGES)


def _note(note: Note) -> str:
    colour = _SEVERITY_COLOUR.get(note.severity.value, "inherit")
    return f'<div><span style="color:{colour}">{escape(note.severity.value)}</span> line {note.line}: {escape(note.message)}</div>'


def _launch(launch: LaunchPart) -> str:
    findings = "".join(_finding(finding) for finding in launch.findings)
    facts = "".join(
        f'<span title="{escape(fact.note)}" style="margin-right:14px">{escape(fact.name)}: <b>{escape(fact.value)}</b></span>'
        for fact in launch.facts
    )
    roofline = escape(launch.no_roofline) if launch.roofline is None else roofline_svg(launch.roofline)
    heat = f'<div style="opacity:.7">Heat: {escape(launch.heat)}. {escape(launch.method)}.</div>'
    return f"<div>{facts}</div>{findings}{_source(launch.rows)}{heat}<details><summary>Roofline</summary>{roofline}</details>"


def _finding(finding: FindingPart) -> str:
    colour = _SEVERITY_COLOUR.get(finding.severity, "inherit")
    cost = f" <i>{escape(finding.cost)}.</i>" if finding.cost else ""
    evidence = "".join(f"<li>{escape(' · '.join(part for part in item if part))}</li>" for item in finding.evidence)
    return (
        f'<details><summary><span style="color:{colour}">{escape(finding.code)}</span> line {finding.line}: '
        f"{escape(finding.message)}{cost}</summary><ul>{evidence}</ul></details>"
    )


def _source(rows: Sequence[Row]) -> str:
    shown = "".join(_row(row) for row in rows)
    return f'<table class="kernelopt-source" style="{_MONO};border-collapse:collapse;margin:4px 0">{shown}</table>'


def _row(row: Row) -> str:
    colour = _HEAT[min(row.heat_step, len(_HEAT) - 1)]
    ink = ";color:#111" if row.heat_step else ""
    number = "⋯" if row.number is None else str(row.number)
    told = escape(", ".join(row.heat))
    title = escape("; ".join(row.counters))
    return (
        f'<tr title="{title}"><td style="{_NUMBER}">{number}</td>'
        f'<td style="{_CELL};background:{colour}{ink}">{escape(row.text)}</td><td style="{_CELL};opacity:.8">{told}</td></tr>'
    )


def roofline_svg(part: RooflinePart) -> str:
    """The drawing, with its numbers in a table below it."""
    plot = part.plot
    ink = 'fill="currentColor" font-size="11"'
    lines = "".join(
        f'<line x1="{line.x1:.1f}" y1="{line.y1:.1f}" x2="{line.x2:.1f}" y2="{line.y2:.1f}" stroke="currentColor" stroke-width="1.5"/>'
        f'<text {ink} transform="translate({line.label_x:.1f} {line.label_y:.1f}) rotate({line.angle:.1f})"'
        f' dy="{15 if line.is_lowest else -5}">{escape(line.label)}</text>'
        for line in plot.lines
    )
    ticks = "".join(
        f'<text {ink} x="{tick.at:.1f}" y="{plot.bottom + 17}" text-anchor="middle">{escape(tick.label)}</text>' for tick in plot.x_ticks
    ) + "".join(
        f'<text {ink} x="{plot.left - 6}" y="{tick.at + 4:.1f}" text-anchor="end">{escape(tick.label)}</text>' for tick in plot.y_ticks
    )
    spots = "".join(
        f'<circle cx="{spot.x:.1f}" cy="{spot.y:.1f}" r="6" fill="#ff9800"/>'
        f'<text {ink} x="{spot.x:.1f}" y="{spot.label_y:.1f}" text-anchor="middle">{escape(spot.level)}</text>'
        for spot in plot.points
    )
    rows = "".join(f"<tr>{''.join(map(_cell, point))}</tr>" for point in part.points)
    label = f"Roofline of {escape(part.target)}; its numbers are in the table below"
    return (
        f'<svg viewBox="0 0 {part.width} {part.height}" role="img" aria-label="{label}" style="max-width:{part.width}px;width:100%">'
        f"{lines}{ticks}{spots}</svg><table>{rows}</table>"
    )


def _cell(text: str) -> str:
    return f'<td style="{_CELL}">{escape(text)}</td>'
