"""What a pair session says: one line a turn, Markdown for ``why`` and for the report. Pure; every number with unit and method."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from assistant.engine.pair.state import PairState, PairVersion, version_name
from assistant.engine.proposals import forbidden
from assistant.model.comparison import Comparison, format_ratio, speed_in_words
from assistant.model.pair import MetricChange, Turn, TurnKind
from assistant.model.plan import Step
from assistant.model.profile import Finding
from assistant.model.proposal import Proposal
from assistant.model.verification import Outcome, verdict_in_words
from assistant.profile.fact_words import change_in_words, metric_in_words
from assistant.profile.quantity import counted_noun
from assistant.profile.wording import percent

if TYPE_CHECKING:
    from assistant.engine.pair.judging import VersionJudgement

__all__ = [
    "constraint_answer",
    "edit_answer",
    "edit_detail",
    "idea",
    "nothing_answer",
    "proposal_answer",
    "report",
    "started_answer",
    "version_line",
]

_SHOWN_CHANGES = 2
_OF_SEVERAL_FILES = "an edit of several files is judged as one by kernelopt compare, with an edited copy of the folder"
_SHOWN_REASONS = 2


def edit_answer(
    state: PairState, judged: VersionJudgement, against_best: Comparison | None, breaks: tuple[str, ...], next_idea: str
) -> str:
    """``v3: PASS, PREDICTED 1.57x against the baseline (model); global sectors 150,000 → 18,750 sectors (emulator); next: …``."""
    name = version_name(len(state.versions))
    if judged.trouble is not None:
        return f"{name}: {judged.trouble}"
    parts = [f"{name}: {_verdict(judged, state.best, against_best)}", *(_change(c) for c in judged.moved()[:_SHOWN_CHANGES])]
    parts += [f"breaks “{words}”" for words in breaks]
    if judged.saved_since:
        parts.append(f"v0 was run with {' and '.join(judged.saved_since)} as saved since, like {name}: {_OF_SEVERAL_FILES}")
    return "; ".join([*parts, f"next: {next_idea}"])


def edit_detail(answer: str, judged: VersionJudgement) -> str:
    """Markdown: the verdict's findings, every counter that moved, what is left to fix."""
    rows = [answer]
    if judged.verdict is not None:
        report = judged.verdict.verification
        rows += ["", *(f"- {finding.outcome.value}: {finding.message}" for finding in report.findings)]
        rows += [f"- not checked: {text}" for text in report.missing_checks]
    speed = judged.speed
    if speed is not None and speed.bottleneck_after is not None:
        rows += ["", f"Limited by {speed.bottleneck_before} before, by {speed.bottleneck_after} now ({speed.method})."]
    moved = judged.moved()
    if moved:
        rows += ["", "| counter of the kernel, all launches | baseline → now | method |", "|---|---|---|"]
        rows += [f"| {_metric(c)} | {change_in_words(c.metric, c.before, c.after, c.unit)} | {c.method} |" for c in moved]
    rows += ["", *(f"- {finding.code} line {finding.line}: {finding.message}" for finding in judged.findings)]
    return "\n".join(rows).rstrip()


def idea(steps: Sequence[Step], findings: Sequence[Finding], state: PairState) -> str:
    """The first planned step that the constraints allow; ``findings`` is what is left to fix, most costly first."""
    allowed = next((step for step in steps if forbidden(state.rules, step.technique, ()) is None), None)
    if allowed is not None:
        finding = next((f for f in findings if f.code == allowed.finding and f.line == allowed.line), None)
        share = None if finding is None else finding.estimated_cost_ratio
        saving = "" if share is None else f", {percent(share)} of the predicted time"
        return f"{allowed.technique} at line {allowed.line} ({allowed.finding}{saving})"
    if findings:
        return f"no edit is known for what is left ({findings[0].code} at line {findings[0].line})"
    return "no finding is left"


def proposal_answer(proposal: Proposal) -> str:
    """What a search offers."""
    speed, verdict = proposal.comparison, verdict_in_words(proposal.verification.outcome, proposal.verification.caveats)
    gain = f"{verdict}, {_speed(speed)} of the current text ({_method(speed)})"
    return f"{proposal.id}: {proposal.summary} {gain}"


def nothing_answer(reasons: Sequence[str]) -> str:
    """Why a search made no proposal."""
    if not reasons:
        return "nothing, because no finding of the kernel calls for a technique that is known"
    more = len(reasons) - _SHOWN_REASONS
    rest = f"; and {counted_noun(more, 'more reason')} (why shows them)" if more > 0 else ""
    return f"nothing, because {'; '.join(reasons[:_SHOWN_REASONS])}{rest}"


def started_answer(state: PairState) -> str:
    """What a session says to somebody who begins it or comes back to it."""
    session = state.session
    goal = f"; goal: {session.goal}" if session.goal else ""
    if len(state.turns) == 1:
        return f"pairs on {session.kernel} of {session.path.name}: v0, the baseline, is the current text{goal}"
    turns = counted_noun(len(state.turns), "turn")
    return f"resumes {session.id} on {session.kernel} after {turns}: at {version_name(state.current.number)}, best {_best(state)}{goal}"


def constraint_answer(state: PairState) -> str:
    """What is asked of every suggestion now."""
    if not state.constraints:
        return "no constraints"
    return "constraints: " + "; ".join(
        f"{number}. {constraint.with_enforcement}" for number, constraint in enumerate(state.constraints, start=1)
    )


def version_line(state: PairState, version: PairVersion) -> str:
    """One rung of the ladder."""
    marks = [word for word, is_so in (("best", version == state.best), ("now", version == state.current)) if is_so]
    mark = f" [{', '.join(marks)}]" if marks else ""
    name = version_name(version.number)
    return f"{name}{mark}: the baseline" if version.number == 0 else f"{name}{mark}: {version.turn.answer.removeprefix(f'{name}: ')}"


def report(state: PairState) -> str:
    """Markdown: goal, ladder of versions, constraints, decisions."""
    session = state.session
    rows = [f"# Pairing on {session.kernel} of {session.path.name}", ""]
    rows += [f"Goal: {session.goal}", ""] if session.goal else []
    rows += [f"Best: {_best(state)}. Session {session.id}.", ""]
    rows += ["| version | verdict | against the baseline | answer |", "|---|---|---|---|"]
    rows += [_ladder_row(version) for version in state.versions]
    if state.constraints:
        rows += ["", *(f"- constraint {n}: {c.with_enforcement}" for n, c in enumerate(state.constraints, start=1))]
    rows += ["", *_turn_lines(state.turns)]
    methods = dict.fromkeys(v.turn.against_baseline.method for v in state.versions if v.turn.against_baseline is not None)
    rows += ["", *(f"Speed: {method}." for method in methods)]
    return "\n".join(rows).rstrip()


def _turn_lines(turns: Iterable[Turn]) -> Iterator[str]:
    return (f"- {turn.kind.value}: {turn.answer}" for turn in turns if turn.kind in (TurnKind.SUGGEST, TurnKind.DECISION, TurnKind.BACK))


def _ladder_row(version: PairVersion) -> str:
    turn = version.turn
    if version.number == 0:
        return "| v0 | | | the baseline |"
    speed = "" if turn.against_baseline is None else f"{_speed(turn.against_baseline)} ({_method(turn.against_baseline)})"
    outcome = "not judged" if turn.outcome is None else turn.outcome.value
    return f"| {version_name(version.number)} | {outcome} | {speed} | {turn.answer.replace('|', '/')} |"


def _verdict(judged: VersionJudgement, best: PairVersion, against_best: Comparison | None) -> str:
    outcome, speed = judged.outcome, judged.speed
    assert outcome is not None and judged.verdict is not None, "judged without trouble has a verdict"
    report = judged.verdict.verification
    parts = [verdict_in_words(outcome, report.caveats)]
    if speed is not None:
        parts.append(f"{_speed(speed)} against the baseline")
        if against_best is not None:
            parts.append(f"{format_ratio(against_best.ratio)}x against {version_name(best.number)}, the best so far")
        parts[-1] += f" ({_method(speed)})"
    if outcome is not Outcome.PASS and report.findings:
        parts.append(report.findings[0].message.removeprefix("B: "))  # a comparison's name of it; here it is the only one that is spoken of
    return ", ".join(parts)


def _speed(comparison: Comparison) -> str:
    return speed_in_words(comparison.outcome, comparison.ratio, comparison.caveats)


def _method(comparison: Comparison) -> str:
    """``performance model for h200``, without what else belongs to it: that stands in the details."""
    return comparison.method.split(",")[0]


def _best(state: PairState) -> str:
    best = state.best
    if best.number == 0 or best.turn.against_baseline is None:
        return "v0, the baseline"
    speed = best.turn.against_baseline
    return f"{version_name(best.number)}, {_speed(speed)} against the baseline ({_method(speed)})"


def _metric(change: MetricChange) -> str:
    return metric_in_words(change.metric)


def _change(change: MetricChange) -> str:
    return f"{_metric(change)} {change_in_words(change.metric, change.before, change.after, change.unit)} ({change.method})"
