"""What is known of a cell as HTML and as plain text: for the panel, and for whatever shows a notebook without running it. Pure.

The answer comes first, then what can be decided on; all else is folded. No script, nothing to load. Words and lines take the colour of the
text around them, whatever the theme; what is coloured brings its own ground. Example::

    offer_html(state, picture)
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from html import escape

from assistant.editor.picture import comparison_sentence
from assistant.editor.report_comparison import comparison_part, judgement_part
from assistant.editor.tasks import Verb
from assistant.editor.view import Note
from assistant.engine import DONE, NO
from assistant.engine.report import technique_in_words
from assistant.model import events
from assistant.model.proposal import DECIDABLE_STATES, Decision
from assistant.model.trial import OUTCOME_WORDS
from jupyter_ext.pictures import Picture
from jupyter_ext.plots import comparison_html, evidence_html, versions_html
from jupyter_ext.proposal_page import PROSE, decided_html, folded, open_html, proposal_lines
from jupyter_ext.runs import Phase, RunState, Step
from jupyter_ext.source_page import launch_html, problem_line, problems_html

__all__ = [
    "NO_DECISIONS",
    "Decisions",
    "answer_html",
    "course_html",
    "course_text",
    "details_html",
    "details_text",
    "failure_text",
    "headline_html",
    "how_to_decide",
    "offer_html",
    "offer_text",
    "panel_html",
    "panel_text",
    "problem_lines",
]

Decisions = Mapping[str, Decision]
"""The last decision on each proposal that has one, by the proposal's id."""
NO_DECISIONS: Decisions = {}
_MARKS = {"waiting": "·", "running": "▶", "done": "✓", "failed": "✗", "cancelled": "–"}
_CHECK_STAGES = frozenset({"compile", "check"})
_SHOWN_KERNELS = 3
"""Whose time is said without unfolding anything."""


def panel_html(state: RunState, picture: Picture | None, decisions: Decisions = NO_DECISIONS) -> str:
    """All of it, without anything to press."""
    if picture is None:
        return course_html(state)
    return headline_html(state, picture) + offer_html(picture, decisions) + details_html(state, picture, decisions)


def panel_text(state: RunState, picture: Picture | None) -> str:
    """The same in lines, for a terminal."""
    parts = (course_text(state), *(() if picture is None else (offer_text(state, picture), details_text(picture))))
    return "\n".join(part for part in parts if part)


def course_html(state: RunState) -> str:
    """The questions and what came of each, while they are answered."""
    said = "".join(f"<li>{escape(message)}</li>" for message in state.messages)
    messages = f'<ul style="margin:4px 0">{said}</ul>' if said else ""
    return f'<div class="kernelopt-course" role="status" style="{PROSE}">{_steps(state)}{messages}</div>'


def course_text(state: RunState) -> str:
    lines = [f"{_mark(step)} {_step_words(step)}" for step in state.steps]
    lines += [f"budget: {state.budget}"] if state.budget else []
    return "\n".join([*lines, *state.messages])


def headline_html(state: RunState, picture: Picture) -> str:
    """What it came to in one line: what went wrong, else what was found of each kernel; and what has to be known besides."""
    bad = _first_bad(state)
    if bad is not None:
        lines = [f"<b>{_mark(bad)} {escape(_bad_words(bad))}</b>"]
    else:
        kernels = picture.report.kernels[:_SHOWN_KERNELS]
        lines = [
            f"✓ <b>{escape(kernel.name)}</b> {escape(picture.cell.said(kernel.headline))}{escape(_agreement(state))}" for kernel in kernels
        ]
        last = state.steps[-1:] if not kernels or not picture.proposals else ()
        lines += [f"✓ {escape(_step_words(step))}" for step in last]
    if state.comparison is not None:
        lines.append(f"Against the previous version: {escape(comparison_sentence(state.comparison))}")
    lines += [escape(message) for message in state.messages]
    shown = "".join(f"<div>{line}</div>" for line in lines)
    return f'<div class="kernelopt-course" role="status" style="{PROSE}">{shown}</div>'


def failure_text(state: RunState, picture: Picture) -> str | None:
    """What went wrong, with every problem; None where every question was answered with yes."""
    bad = _first_bad(state)
    if bad is None:
        return None
    return "\n".join((_bad_words(bad), *(f"  {line}" for line in problem_lines(picture))))


def problem_lines(picture: Picture) -> tuple[str, ...]:
    """What compilers and checks found, each in a line."""
    return tuple(problem_line(picture.cell, note) for note in _problems(picture))


def offer_html(picture: Picture, decisions: Decisions = NO_DECISIONS) -> str:
    """Problems with their lines, then what is proposed: the newest with its change, others folded."""
    problems, offered = list(_problems(picture)), [item for item in picture.proposals if item.state in DECIDABLE_STATES]
    parts = [problems_html(picture.cell, problems)] if problems else []
    first_line = picture.cell.line_of(1)
    parts += [open_html(item, first_line, is_first=index == 0) for index, item in enumerate(offered)]
    parts += [
        decided_html(item, decisions.get(item.id), first_line) for item in picture.proposals[:1] if item.state not in DECIDABLE_STATES
    ]
    return f'<div class="kernelopt-offer" style="{PROSE}">{"".join(parts)}</div>' if parts else ""


def offer_text(state: RunState, picture: Picture) -> str:
    lines = [] if state.comparison is None else [f"against the previous version: {comparison_sentence(state.comparison)}"]
    lines += [f"  {problem_line(picture.cell, note)}" for note in _problems(picture)]
    lines += [f"{kernel.name}: {picture.cell.said(kernel.headline)}{_agreement(state)}" for kernel in picture.report.kernels]
    return "\n".join([*lines, *(line for proposal in picture.proposals for line in proposal_lines(proposal))])


def details_html(state: RunState, picture: Picture, decisions: Decisions = NO_DECISIONS) -> str:
    """All else, each part folded under its name."""
    parts = "".join(folded(name, body) for name, body in _details(state, picture, decisions))
    return f'<div class="kernelopt-details" style="{PROSE}">{parts}</div>'


def details_text(picture: Picture) -> str:
    """What counters show."""
    return "\n".join(
        f"  {finding.code} line {picture.cell.line_of(finding.line)}: {picture.cell.said(finding.message)}"
        for kernel in picture.report.kernels
        for launch in kernel.launches[:1]
        for finding in launch.findings
    )


def answer_html(answer: str) -> str:
    """What came of a decision."""
    return f'<div role="status" style="{PROSE}">{escape(answer)}</div>'


def how_to_decide(picture: Picture) -> str:
    """In place of buttons, where none can be shown; empty where nothing is open."""
    names = [proposal.id for proposal in picture.proposals if proposal.state in DECIDABLE_STATES]
    return "\n".join(f"to decide on {name}: %kernelopt accept {name}, or %kernelopt reject {name} why" for name in names)


def _details(state: RunState, picture: Picture, decisions: Decisions) -> Iterator[tuple[str, str]]:
    """(name, HTML) of each part."""
    kernels = picture.report.kernels
    for kernel in kernels:
        whose = f" of {kernel.name}" if len(kernels) > 1 else ""
        count = sum(len(launch.findings) for launch in kernel.launches[:1])
        name = f"Lines{whose}, {count} finding{'' if count == 1 else 's'}" if count else f"Lines{whose}"
        for launch in kernel.launches[:1]:
            yield name, f"<div>{escape(picture.cell.said(kernel.headline))}</div>{launch_html(picture.cell, launch)}"
    offered = [comparison_part(item) for item in picture.proposals if item.state in DECIDABLE_STATES]
    for part in offered[:1]:
        if part.versions is not None:
            yield "Before and after", versions_html(part.versions)
    if offered:
        yield "Evidence", "".join(evidence_html(part) for part in offered)
    if state.comparison is not None:
        yield "Against the previous version", comparison_html(judgement_part(state.comparison))
    earlier = [item for item in picture.proposals[1:] if item.state not in DECIDABLE_STATES]
    if earlier:
        yield (
            f"Decided before ({len(earlier)})",
            "".join(decided_html(item, decisions.get(item.id), picture.cell.line_of(1)) for item in earlier),
        )
    if state.tried:
        yield f"Other things tried ({len(state.tried)})", "".join(_tried(event) for event in state.tried)
    yield "Steps", _steps(state)


def _tried(event: events.CandidateTried) -> str:
    why = f"<br>Tried {escape(event.why)}" if event.why else ""
    return f"<div><b>{escape(technique_in_words(event.technique))}</b>: {OUTCOME_WORDS[event.outcome]}. {escape(event.reason)}{why}</div>"


def _steps(state: RunState) -> str:
    budget = f"<div>Budget: {escape(state.budget)}</div>" if state.budget else ""
    return "".join(_step(step) for step in state.steps) + budget


def _step(step: Step) -> str:
    weight = ' style="font-weight:600"' if step.phase in ("failed", "running") else ""
    return f'<div{weight}><span aria-hidden="true">{_mark(step)}</span> {escape(_step_words(step))}</div>'


def _step_words(step: Step) -> str:
    taken = "" if step.taken_s is None else f" ({step.taken_s:.1f} s)"
    return f"{step.question}: {step.text or step.phase}{taken}"


def _first_bad(state: RunState) -> Step | None:
    return next((step for step in state.steps if step.phase == Phase.CANCELLED or step.is_bad), None)


def _agreement(state: RunState) -> str:
    """That results are the reference's, where the check has shown it."""
    is_checked = any(step.verb is Verb.CHECK and step.exit_code == DONE for step in state.steps)
    return f", agrees with {state.reference}" if is_checked and state.reference else ""


def _bad_words(step: Step) -> str:
    """``FAILED check: 2 problems``; ``profile could not be answered: …`` where it is no verdict."""
    if step.phase == Phase.CANCELLED:
        return f"{step.question}: {step.text or step.phase}"
    if step.exit_code == NO:
        return f"FAILED {step.question}: {step.text}"
    return f"{step.question} could not be answered: {step.text or step.phase}"


def _mark(step: Step) -> str:
    return "✗" if step.is_bad else _MARKS[Phase.CANCELLED if step.is_unanswered else step.phase]


def _problems(picture: Picture) -> Iterator[Note]:
    """What compilers and checks found; what counters show stands with its launch."""
    return (note for note in picture.view.notes if note.stage in _CHECK_STAGES)
