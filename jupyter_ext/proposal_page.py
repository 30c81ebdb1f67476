"""A proposal as HTML and as plain text: what it claims, how it was judged, before and after, the change side by side by hunks. Pure.

Example::

    proposal_html(proposal)
"""

from __future__ import annotations

from collections.abc import Sequence
from difflib import SequenceMatcher
from html import escape

from assistant.cuda.changes import changes_diff
from assistant.cuda.edits import lines_of
from assistant.editor.picture import alternative_lines, proposal_title
from assistant.editor.report_comparison import comparison_part
from assistant.model.proposal import DECIDABLE_STATES, Decision, DecisionKind, Proposal
from assistant.model.source import Hunk
from jupyter_ext.choice import LeftOut
from jupyter_ext.plots import comparison_html, prose

__all__ = ["CELL", "MONO", "NUMBER", "PROSE", "TABLE", "decision_words", "diff_html", "proposal_html", "proposal_lines"]

"""States in which there is something to decide."""
MONO = "font-family:var(--jp-code-font-family,monospace);font-size:12px;line-height:1.4"
PROSE = "line-height:1.5"
"""Said here as ipywidgets' own is that of a button."""
NUMBER = "padding:0 6px;opacity:.75;text-align:right;vertical-align:top;background:none"
CELL = "padding:0 6px;white-space:pre-wrap;overflow-wrap:anywhere;text-align:left;vertical-align:top"
TABLE = "border-collapse:collapse;table-layout:fixed;width:100%;min-width:44em"
"""Long lines are broken, so that every column is in sight; in a narrow cell it scrolls."""
_COLUMNS = '<col style="width:3em"><col>'
"""Columns of one half: numbers, text."""
_GAP = "padding:2px 6px;text-align:left;opacity:.8;background:none;font-weight:600"
_REMOVED, _ADDED = "#ffebee", "#e8f5e9"
_SIGN = {True: ("-", "+"), False: (" ", " ")}
"""Beside a changed line, so that it is not known by its colour alone."""


def proposal_html(proposal: Proposal, decision: Decision | None = None, is_newest: bool = True) -> str:
    """All of it, with what was last decided; an earlier one that is decided is folded.

    The newest stays as it was read: a page that shrinks loses its reader's place.
    """
    head = f"<b>{escape(proposal.id)}</b> <b>{escape(proposal.state.value)}</b>: {escape(proposal_title(proposal))}"
    labels = ", ".join(label.value for label in proposal.verification.labels)
    summary = prose(f"{proposal.summary}{f' Labels: {labels}.' if labels else ''}")
    others = "".join(f"<li>{prose(line)}</li>" for line in alternative_lines(proposal))
    others = f"Alternatives, with other decisions:<ul>{others}</ul>" if others else ""
    assumed = "".join(f"<li>assumes: {prose(text)}</li>" for text in proposal.assumptions)
    evidence = comparison_html(comparison_part(proposal))
    change = "".join(diff_html(one.before_text, one.after_text, one.hunks, decision) for one in proposal.files)
    if proposal.state not in DECIDABLE_STATES:
        is_open = " open" if is_newest else ""
        evidence, change = f"<details{is_open}><summary>Evidence and change</summary>{evidence}{change}</details>", ""
    return (
        f'<div class="kernelopt-proposal" style="margin-top:10px;{PROSE}"><div>{head}</div>'
        f"{'' if decision is None else f'<div>{escape(decision_words(decision))}</div>'}<div>{summary}</div>"
        f"{f'<ul>{assumed}</ul>' if assumed else ''}{others}{evidence}{change}</div>"
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


def decision_words(decision: Decision) -> str:
    """``partially accepted by jupyter 12: Changes results: hunk 1: a long sum``."""
    kind = decision.kind.value.replace("_", " ")
    reason = LeftOut(decision.reason_code, decision.reason or "").with_code
    return f"{kind} by {decision.decided_by}{f': {reason}' if reason else ''}"


def diff_html(before: str, after: str, hunks: Sequence[Hunk] = (), decision: Decision | None = None, context: int = 2) -> str:
    """Both texts side by side, changed lines marked, a few lines around each change; each hunk by its number where there are several."""
    old, new = lines_of(before), lines_of(after)
    starts = {hunk.before_line: number for number, hunk in enumerate(hunks, 1)} if len(hunks) > 1 else {}
    rows: list[str] = []
    for group in SequenceMatcher(None, old, new, autojunk=False).get_grouped_opcodes(context):
        rows += [_across("⋯")] if rows else []
        for tag, low, high, after_low, after_high in group:
            is_changed = tag != "equal"
            if is_changed and low + 1 in starts:
                number = starts[low + 1]
                rows.append(_across(f"Hunk {number} of {len(hunks)}{_fate(hunks[number - 1], decision)}"))
            for index in range(max(high - low, after_high - after_low)):
                left = _half(old, low + index, high, _REMOVED if is_changed else "", _SIGN[is_changed][0])
                right = _half(new, after_low + index, after_high, _ADDED if is_changed else "", _SIGN[is_changed][1])
                rows.append(f"<tr>{left}{right}</tr>")
    head = "".join(f'<td></td><th scope="col" style="{_GAP}">{name}</th>' for name in ("as it is", "proposed"))
    columns = f"<colgroup>{2 * _COLUMNS}</colgroup>"
    body = f"{columns}<tbody><tr>{head}</tr>{''.join(rows)}</tbody>"
    table = f'<table class="kernelopt-diff" style="{MONO};{TABLE}">{body}</table>'
    return f'<div role="group" tabindex="0" aria-label="The change, side by side" style="overflow-x:auto">{table}</div>'


def _fate(hunk: Hunk, decision: Decision | None) -> str:
    """What became of one hunk of a partial accept."""
    if decision is None or decision.kind is not DecisionKind.PARTIALLY_ACCEPTED:
        return ""
    return " · taken" if hunk.id in decision.hunk_ids else " · left out"


def _across(words: str) -> str:
    return f'<tr><td colspan="4" style="{_GAP}">{words}</td></tr>'


def _half(lines: Sequence[str], index: int, end: int, colour: str, sign: str) -> str:
    if index >= end:
        return f'<td></td><td style="{CELL}"></td>'
    background = f";background:{colour};color:#111" if colour else ""
    text = escape(lines[index].rstrip("\n"))
    return f'<td style="{NUMBER}">{index + 1}</td><td style="{CELL}{background}">{sign} {text}</td>'
