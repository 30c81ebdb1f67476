"""What is known of a PyTorch task or a candidate as HTML and as plain text: the answer first, all else folded. Pure.

Example::

    shown_bundle(run)["text/plain"]     # 'ModelNew: PASS; 13 of 13 cases passed, on the CPU emulator; nothing was timed'
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape

from assistant.editor.operator_view import breakdown_lines, cases_words, verdict_words
from assistant.editor.tasks import Verb
from assistant.engine import DONE
from assistant.model.code_events import OperatorFunction
from assistant.model.events import ComparisonMade, OperatorsFound, ProposalMade
from assistant.model.verification import Outcome, VerificationFinding
from assistant.operators.task import MODEL_NEW
from assistant.profile.quantity import format_quantity
from jupyter_ext.operator_runs import OperatorRun
from jupyter_ext.proposal_page import PROSE
from jupyter_ext.runs import Phase

__all__ = ["answer_bundle", "failure_words", "finding_lines", "headline_bundle", "shown_bundle"]

Bundle = dict[str, str]
NOTHING: Bundle = {"text/plain": "", "text/html": ""}
_SHOWN_FUNCTIONS = 6
_SHOWN_FINDINGS = 2
"""Without unfolding anything: one mistake shows in many cases."""
_CANCELLED, _BAD = "–", "✗"
_MARKS = {Outcome.PASS: "✓", Outcome.NEEDS_DECISION: "?", Outcome.FAIL: "✗"}
_FOLDED = '<details class="kernelopt-folded"><summary>{}</summary><div style="margin-left:1em">{}</div></details>'
_HEAD = ("share", "at least", "calls", "function", "line", "bytes")


def shown_bundle(run: OperatorRun) -> Bundle:
    """All that is known of a run."""
    parts = [part for part in (headline_bundle(run), answer_bundle(run)) if part["text/plain"]]
    return {kind: end.join(part[kind] for part in parts) for kind, end in (("text/plain", "\n"), ("text/html", ""))}


def headline_bundle(run: OperatorRun) -> Bundle:
    """Why a question has no answer; nothing where each has one, as answers speak for themselves."""
    words = _unanswered(run)
    return NOTHING if words is None else {"text/plain": words, "text/html": _page(f'<div role="status"><b>{escape(words)}</b></div>')}


def answer_bundle(run: OperatorRun) -> Bundle:
    """What was answered so far, from top to bottom."""
    bundles: list[Bundle] = []
    if run.breakdown is not None:
        bundles.append(_breakdown(run.breakdown, run.notes(Verb.PROFILE)))
    if run.verdict is not None:
        bundles.append(_verdict(_candidate_name(run), run.verdict))
    if run.kernel is not None:
        bundles.append(_written(run.kernel.file, run.step(Verb.OPTIMIZE).text, run.placed))
        bundles += map(_proposed, run.proposals)
    return {kind: end.join(part[kind] for part in bundles) for kind, end in (("text/plain", "\n"), ("text/html", ""))}


def failure_words(run: OperatorRun) -> str | None:
    """What went wrong, with every finding; None where every question was answered with yes."""
    unanswered = _unanswered(run)
    if unanswered is not None or run.verdict is None or run.step(Verb.CHECK).exit_code == DONE:
        return unanswered
    headline = f"{_candidate_name(run)}: {verdict_words(run.verdict)}"
    return "\n  ".join((headline, *finding_lines(run)))


def finding_lines(run: OperatorRun) -> tuple[str, ...]:
    """What speaks against a candidate, each in a line."""
    return () if run.verdict is None else tuple(_finding_words(each) for each in run.verdict.verification.findings)


def _unanswered(run: OperatorRun) -> str | None:
    """The first question that has no answer although it was asked, and why."""
    has_answer = {Verb.PROFILE: run.breakdown, Verb.CHECK: run.verdict, Verb.OPTIMIZE: run.kernel}
    for step in run.state.steps:
        if step.phase == Phase.CANCELLED:
            return f"{_CANCELLED} {step.verb.value}: cancelled"
        if step.phase == Phase.FAILED:
            return f"{_BAD} {step.verb.value} could not be answered: {step.text}"
        if step.phase == Phase.DONE and has_answer[step.verb] is None:
            return f"{_BAD} {step.verb.value} could not be answered: {run.reason(step.verb)}"
    return None


def _candidate_name(run: OperatorRun) -> str:
    """``ModelNew``, or what a cell of CUDA is called."""
    operator = run.asked[0].task.operator
    is_cuda = operator is not None and operator.candidate is not None and operator.candidate.suffix == ".cu"
    return "the kernel" if is_cuda else MODEL_NEW


def _verdict(name: str, event: ComparisonMade) -> Bundle:
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


def _breakdown(event: OperatorsFound, notes: Sequence[str] = ()) -> Bundle:
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


def _written(file: str, reason: str, placed: str) -> Bundle:
    """Where a first kernel is."""
    words = "; ".join(part for part in (reason, f"it is in {file}", placed) if part)
    return {"text/plain": words, "text/html": _page(f"<div>{escape(words)}</div>")}


def _proposed(event: ProposalMade) -> Bundle:
    """An edit of the first kernel, and how to decide on it."""
    words = f"{event.id}: {event.summary}"
    decide = f"%kernelopt show {event.id} shows it; %kernelopt accept {event.id} writes it into the file, with its text in a cell below"
    return {"text/plain": f"{words}\n  {decide}", "text/html": _page(f"<div><b>{escape(words)}</b></div><div>{escape(decide)}</div>")}


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
