"""What is known of a PyTorch task or a candidate as HTML and as plain text: the answer first, all else folded. Pure.

Example::

    verdict_bundle("ModelNew", event)["text/plain"]     # 'ModelNew: PASS; 13 of 13 cases passed, on the CPU emulator; nothing was timed'
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape

from assistant.editor.operator_view import breakdown_lines, cases_words, verdict_words
from assistant.model.code_events import OperatorFunction
from assistant.model.events import ComparisonMade, OperatorsFound
from assistant.model.verification import Outcome, VerificationFinding
from assistant.profile.quantity import format_quantity
from jupyter_ext.proposal_page import PROSE

__all__ = ["breakdown_bundle", "progress_bundle", "verdict_bundle", "written_bundle"]

Bundle = dict[str, str]
_SHOWN_FUNCTIONS = 6
_SHOWN_FINDINGS = 2
"""Without unfolding anything: one mistake shows in many cases."""
_MARKS = {Outcome.PASS: "✓", Outcome.NEEDS_DECISION: "?", Outcome.FAIL: "✗"}
_FOLDED = '<details class="kernelopt-folded"><summary>{}</summary><div style="margin-left:1em">{}</div></details>'
_HEAD = ("share", "at least", "calls", "function", "line", "bytes")


def progress_bundle(words: str) -> Bundle:
    """What is being done."""
    return {"text/plain": words, "text/html": _page(f'<div role="status">{escape(words)}</div>')}


def verdict_bundle(name: str, event: ComparisonMade) -> Bundle:
    """``name``: of the candidate."""
    found = event.verification
    headline, cases = f"{name}: {verdict_words(event)}", cases_words(event)
    lines = [_finding_words(each) for each in found.findings]
    more = lines[_SHOWN_FINDINGS:]
    further = _FOLDED.format(f"{len(more)} more", _list(more)) if more else ""
    table = _table(("case", "shape", "outcome"), ((each.kind, each.shape, str(each.outcome)) for each in found.cases))
    not_checked = _list((*found.dropped_cases, *found.missing_checks))
    folded = _FOLDED.format(escape(cases), table) + (_FOLDED.format("Not checked", not_checked) if not_checked else "")
    mark = f'<span aria-hidden="true">{_MARKS[found.outcome]}</span> '
    html = f"<div>{mark}<b>{escape(headline)}</b></div>{_list(lines[:_SHOWN_FINDINGS])}{further}{folded}"
    return {"text/plain": "\n  ".join((f"{headline}; {cases}", *lines)), "text/html": _page(html)}


def breakdown_bundle(event: OperatorsFound, notes: Sequence[str] = ()) -> Bundle:
    """The functions of one call, what one kernel could do of them, and what else the job had to say."""
    first, *groups, method = breakdown_lines(event)
    rows = [_function_cells(each) for each in event.functions]
    table = _table(_HEAD, rows[:_SHOWN_FUNCTIONS])
    more = rows[_SHOWN_FUNCTIONS:]
    folded = _FOLDED.format(f"{len(more)} more", _table(_HEAD, more)) if more else ""
    head = f"<div><b>{escape(event.name)}</b>: {escape(first)}</div>"
    remarks = "".join(f"<div>{escape(each)}</div>" for each in (*notes, method))
    html = f"{head}{_list(groups)}{table}{folded}{remarks}"
    lines = (first, *groups, *map(_function_words, rows), *notes, method)
    return {"text/plain": "\n  ".join((f"{event.name}: {lines[0]}", *lines[1:])), "text/html": _page(html)}


def written_bundle(file: str, reason: str) -> Bundle:
    """Where a first kernel is."""
    words = f"{reason}; it is in {file}"
    return {"text/plain": words, "text/html": _page(f"<div>{escape(words)}</div>")}


def _finding_words(found: VerificationFinding) -> str:
    return found.message if found.line is None else f"line {found.line}: {found.message}"


def _function_cells(function: OperatorFunction) -> tuple[str, str, str, str, str, str]:
    return (
        f"{function.share_ratio:.0%}",
        format_quantity(function.least_time_s, "s"),
        str(function.call_count),
        function.name,
        "" if function.line is None else str(function.line),
        format_quantity(function.moved_bytes, "B"),
    )


def _function_words(cells: Sequence[str]) -> str:
    share, least, calls, name, line, moved = cells
    return f"{share:>5} {least:>9}  {name}, {calls} x{line and f', line {line}'}, {moved}"


def _list(lines: Sequence[str]) -> str:
    return f"<ul>{''.join(f'<li>{escape(line)}</li>' for line in lines)}</ul>" if lines else ""


def _table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    heads = "".join(f'<th scope="col" style="text-align:left">{escape(each)}</th>' for each in head)
    cells = ("".join(f'<td style="text-align:left">{escape(cell)}</td>' for cell in row) for row in rows)
    body = "".join(f"<tr>{row}</tr>" for row in cells)
    return f'<table style="margin:4px 0"><thead><tr>{heads}</tr></thead><tbody>{body}</tbody></table>'


def _page(inner: str) -> str:
    return f'<div class="kernelopt-operator" style="{PROSE}">{inner}</div>'
