"""A proposal as HTML and as plain text: what it claims, how it was judged, before and after, the change side by side by hunks. Pure.

It names proposals by their long ids; what displays a page puts the short ones in their place (``Workshop.for_people``).

Example::

    open_html(proposal)
"""

from __future__ import annotations

from collections.abc import Sequence
from difflib import SequenceMatcher
from html import escape

from assistant.cuda.changes import changes_diff
from assistant.cuda.edits import lines_of
from assistant.cuda.embedded.cell_launch import shown_line
from assistant.cuda.tied_hunks import tied_hunks
from assistant.editor.offer_words import gain, verdict
from assistant.editor.picture import alternative_lines, proposal_title
from assistant.editor.report_comparison import comparison_part
from assistant.engine.report import label_in_words, techniques_in_words
from assistant.model.proposal import DECIDABLE_STATES, Decision, DecisionKind, Proposal
from assistant.model.source import Hunk
from assistant.model.verification import Outcome
from jupyter_ext.choice import LeftOut
from jupyter_ext.plots import comparison_html, prose

__all__ = [
    "CELL",
    "MONO",
    "NUMBER",
    "ORANGE",
    "PROSE",
    "RED",
    "TABLE",
    "decided_html",
    "diff_html",
    "folded",
    "open_html",
    "proposal_lines",
]

MONO = "font-family:var(--jp-code-font-family,monospace);font-size:12px;line-height:1.4"
PROSE = "line-height:1.5"
"""Set here as ipywidgets' own is that of a button."""
NUMBER = "padding:0 6px;opacity:.75;text-align:right;vertical-align:top;background:none"
CELL = "padding:0 6px;white-space:pre-wrap;overflow-wrap:anywhere;text-align:left;vertical-align:top"
TABLE = "border-collapse:collapse;table-layout:fixed;width:100%;min-width:44em"
"""Long lines are broken, so that every column is in sight; in a narrow cell it scrolls."""
_COLUMNS = '<col style="width:3em"><col>'
"""Columns of a half: numbers, text."""
_GAP = "padding:2px 6px;text-align:left;opacity:.8;background:none;font-weight:600"
RED, ORANGE, _GREEN = "rgba(244,67,54,{})", "rgba(255,152,0,{})", "rgba(76,175,80,{})"
"""The 500s of the Material palette, as tints: behind the ink of a light page and of a dark one, which both stay readable."""
_REMOVED, _ADDED = RED.format(0.16), _GREEN.format(0.18)
_ASKED = "needs your decision: "
_AROUND = 1
"""Lines shown before and after a change."""
_MOST_HEIGHT = "12em"
"""A long change scrolls by itself, so that what can be pressed below it stays in sight."""
_FOLDED = '<details class="kernelopt-folded" style="display:inline-block;vertical-align:top;max-width:100%;margin-right:1.5em">{}</details>'
"""Names stand in one row; what is unfolded takes a row of its own, as it asks for more than there is."""
_UNFOLDED = "width:100vw;max-width:100%;box-sizing:border-box;padding-left:1em"
_SIGN = {True: ("-", "+"), False: (" ", " ")}
"""Next to a changed line, so that it is not known by its colour alone."""


def open_html(proposal: Proposal, first_line: int = 1, is_first: bool = True) -> str:
    """One that can be decided on: what it is worth and how it was judged, why, its change; any but the first folded.

    ``first_line``: what the notebook calls the first line of the CUDA text.
    """
    part = comparison_part(proposal)
    files = f" in {len(proposal.files)} files" if len(proposal.files) > 1 else ""
    author = "" if proposal.model is None else f", by model {proposal.model}"
    caveats = f" ({'; '.join(part.caveats)})" if part.caveats else ""
    what = f"{techniques_in_words(proposal.techniques)}{files}{author}"
    head = f"<b>{escape(gain(proposal))}</b> · <b>{escape(f'{_verdict(proposal)}{caveats}')}</b> · {escape(what)}"
    reasons = (_beyond(proposal.summary, reason) for reason in part.reasons)
    unsaid = (text for text in proposal.assumptions if not any(text in reason for reason in part.reasons))
    said = _listed([*filter(None, reasons), *(f"assumes: {text}" for text in unsaid)])
    others = "".join(f"<li>{prose(line)}</li>" for line in alternative_lines(proposal))
    others = f"<details><summary>Alternatives, with other decisions</summary><ul>{others}</ul></details>" if others else ""
    body = f"<div>{prose(proposal.summary)}</div>{said}{_change(proposal, None, first_line)}{others}"
    shown = f"<div>{head}</div>{body}" if is_first else f"<details><summary>{head}</summary>{body}</details>"
    return f'<div class="kernelopt-proposal" style="margin-top:4px;{PROSE}">{shown}</div>'


def decided_html(proposal: Proposal, decision: Decision | None = None, first_line: int = 1) -> str:
    """One that was decided on, in one line; the rest folded."""
    who = "" if decision is None else f", {escape(_decision_words(proposal, decision))}"
    title = proposal_title(proposal).replace(_ASKED, "")  # it needs no decision any more
    head = f"<b>{escape(proposal.state.value)}</b>: {escape(title)}{who}"
    change = _change(proposal, decision, first_line)
    body = f"<div>{prose(proposal.summary)}</div>{change}{comparison_html(comparison_part(proposal))}"
    return f'<div class="kernelopt-proposal" style="{PROSE}"><details><summary>{head}</summary>{body}</details></div>'


def _listed(said: Sequence[str]) -> str:
    """The first, and the others folded: the change and the buttons are in sight below them."""
    first, others = said[:1], said[1:]
    items = "".join(f"<li>{prose(text)}</li>" for text in others)
    more = f"<details><summary>and {len(others)} more</summary><ul>{items}</ul></details>" if others else ""
    return "".join(f'<div style="margin-left:1em">{prose(text)}</div>' for text in first) + more


def folded(name: str, body: str) -> str:
    """A part under its name, next to others that are folded."""
    return _FOLDED.format(f'<summary>{escape(name)}</summary><div style="{_UNFOLDED}">{body}</div>')


def _beyond(summary: str, reason: str) -> str:
    """What a reason says besides the summary above it; empty where that is all. What was measured stands behind a semicolon."""
    before, is_in, after = reason.partition(summary)
    return after.lstrip("; ") if is_in else before


def _verdict(proposal: Proposal) -> str:
    """``right in 10 of 10 cases``; ``needs your decision: fewer digits, an alignment``."""
    found = proposal.verification
    if found.outcome is not Outcome.NEEDS_DECISION:
        return verdict(proposal)
    labels = ", ".join(map(label_in_words, found.labels))
    return f"needs your decision{f': {labels}' if labels else ''}"


def _change(proposal: Proposal, decision: Decision | None, first_line: int) -> str:
    """Lines of the cell by the notebook's numbers, those of another file by its own."""
    is_choice = len(tied_hunks(proposal.files)) > 1  # numbers are for hunks that can be taken alone
    return "".join(
        diff_html(one.before_text, one.after_text, one.hunks if is_choice else (), decision, first_line if one.path == proposal.path else 1)
        for one in proposal.files
    )


def proposal_lines(proposal: Proposal) -> list[str]:
    """The same for a terminal: the diff where there is something to decide."""
    lines = [f"{proposal.id} ({proposal.state.value}): {proposal_title(proposal)}"]
    if proposal.state in DECIDABLE_STATES:
        part = comparison_part(proposal)
        versions = () if part.versions is None else (*part.versions.times, *part.versions.counts, *part.versions.stalls)
        lines += [f"  {part.interval} Method: {part.method}."]
        lines += [f"  {pair.name}: {pair.before} → {pair.after}" for pair in versions]
        lines += [f"  alternative {line}" for line in alternative_lines(proposal)]
        lines.append(changes_diff(proposal.files).rstrip())
    return lines


def _decision_words(proposal: Proposal, decision: Decision) -> str:
    """``by jupyter``; ``partially accepted by jupyter: Changes results: hunk 1: a long sum``: what the state does not say."""
    reason = LeftOut(decision.reason_code, decision.reason or "").with_code
    words = f"by {decision.decided_by.partition(' ')[0]}{f': {reason}' if reason else ''}"  # no number of a process
    return words if decision.kind.value == proposal.state.value else f"{decision.kind.value.replace('_', ' ')} {words}"


def diff_html(before: str, after: str, hunks: Sequence[Hunk] = (), decision: Decision | None = None, first_line: int = 1) -> str:
    """Both texts side by side, changed lines marked, a line around each change; each hunk by its number where there are several."""
    old, new = lines_of(shown_line(before)), lines_of(shown_line(after))
    starts = {hunk.before_line: number for number, hunk in enumerate(hunks, 1)} if len(hunks) > 1 else {}
    rows: list[str] = []
    for group in SequenceMatcher(None, old, new, autojunk=False).get_grouped_opcodes(_AROUND):
        rows += [_across("⋯")] if rows else []
        for tag, low, high, after_low, after_high in group:
            is_changed = tag != "equal"
            if is_changed and low + 1 in starts:
                number = starts[low + 1]
                rows.append(_across(f"Hunk {number} of {len(hunks)}{_fate(hunks[number - 1], decision)}"))
            for index in range(max(high - low, after_high - after_low)):
                left = _half(old, low + index, high, first_line, _REMOVED if is_changed else "", _SIGN[is_changed][0])
                right = _half(new, after_low + index, after_high, first_line, _ADDED if is_changed else "", _SIGN[is_changed][1])
                rows.append(f"<tr>{left}{right}</tr>")
    head = "".join(f'<td></td><th scope="col" style="{_GAP}">{name}</th>' for name in ("as it is", "proposed"))
    columns = f"<colgroup>{2 * _COLUMNS}</colgroup>"
    body = f"{columns}<tbody><tr>{head}</tr>{''.join(rows)}</tbody>"
    table = f'<table class="kernelopt-diff" style="{MONO};{TABLE}">{body}</table>'
    name, style = "The change, side by side", f"overflow:auto;max-height:{_MOST_HEIGHT}"
    return f'<div role="group" tabindex="0" aria-label="{name}" style="{style}">{table}</div>'


def _fate(hunk: Hunk, decision: Decision | None) -> str:
    """What became of a hunk of a partial accept."""
    if decision is None or decision.kind is not DecisionKind.PARTIALLY_ACCEPTED:
        return ""
    return " · taken" if hunk.id in decision.hunk_ids else " · left out"


def _across(words: str) -> str:
    return f'<tr><td colspan="4" style="{_GAP}">{words}</td></tr>'


def _half(lines: Sequence[str], index: int, end: int, first_line: int, colour: str, sign: str) -> str:
    if index >= end:
        return f'<td></td><td style="{CELL}"></td>'
    background = f";background:{colour}" if colour else ""
    text = escape(lines[index].rstrip("\n"))
    return f'<td style="{NUMBER}">{index + first_line}</td><td style="{CELL}{background}">{sign} {text}</td>'
