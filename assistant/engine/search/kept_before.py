"""What an interrupted search had kept and this one did not come to again, judged afresh: nothing that was found is lost.

A search that goes on repeats the rounds of the interrupted one, with the answers that memory has; where those are gone, or another version
was built on this time, a model's edits still lie in memory with their texts.
"""

from __future__ import annotations

from dataclasses import replace

from assistant.cuda.edits import edits_between
from assistant.engine.search.context import SearchContext, SearchServices
from assistant.engine.search.frontier import Frontier
from assistant.engine.search.resume import EarlierSearch
from assistant.engine.search.trials import SearchNode, Trial
from assistant.model import events
from assistant.model.attempt import Attempt
from assistant.model.plan import FileEdits, Origin, Rewrite, Step
from assistant.model.profile import Severity
from assistant.model.trial import TrialOutcome

__all__ = ["taken_up"]


async def taken_up(context: SearchContext, services: SearchServices, frontier: Frontier) -> Frontier:
    """``frontier`` with what is left of them, parents before children."""
    if not context.shape.asks_models:
        return frontier
    key = context.assessed(context.start)[0].kernel.key
    root = context.start.key  # of versions that edits made, another kernel may have been edited that took the place of this one
    tried = [attempt for attempt in context.earlier.attempts if attempt.kernel == key or attempt.parent_key != root]
    kept = [attempt for attempt in tried if attempt.outcome is TrialOutcome.KEPT]
    level = {frontier.root.key: frontier.root}
    while level:
        below, found = dict[str, SearchNode](), list[SearchNode]()
        for attempt in kept:
            parent = level.get(attempt.parent_key)
            if parent is None or not parent.may_be_built_on or not _fits(parent, attempt):
                continue
            known = services.history.known(parent.key, attempt.key)
            node = _version(parent, known or await _judged(services, parent, _step(context.earlier, attempt), _rewrite(attempt)))
            if node is None:
                continue
            below[attempt.key] = node
            if known is None:
                found.append(node)
                text = f"{context.kernel}: takes up {attempt.technique} at line {attempt.line}, which {context.earlier.job} had kept"
                context.job.say(Severity.INFORMATION, text)
        frontier = frontier.after(found)
        level = below
    return frontier


def _fits(parent: SearchNode, attempt: Attempt) -> bool:
    """Whether the other files that it changes are as they were when it was made."""
    now = {source.path: source.text for source in parent.evaluation.version.sources}
    return all(now.get(file.path) == file.before_text for file in attempt.also)


async def _judged(services: SearchServices, parent: SearchNode, step: Step, rewrite: Rewrite) -> Trial:
    trial = await services.trials.judge(parent, step, rewrite)
    services.history.keep(parent.key, trial)
    return trial


def _version(parent: SearchNode, trial: Trial) -> SearchNode | None:
    """The version that a candidate makes; None where it does not hold any more."""
    if trial.node is None or trial.ratio is None:
        return None
    return replace(trial.node, ratio=parent.ratio * trial.ratio, settled=parent.settled)


def _step(earlier: EarlierSearch, attempt: Attempt) -> Step:
    """As it was planned, as far as the log still has it."""
    planned = (event for event in earlier.log if isinstance(event, events.PlanMade))
    wanted = (attempt.technique, attempt.line, attempt.planner)
    known = (step for plan in planned for step in plan.steps if (step.technique, step.line, step.planner) == wanted)
    bare = Step(attempt.technique, attempt.kernel, attempt.line, attempt.summary, (), attempt.finding, (), 0.0, planner=attempt.planner)
    return next(known, bare)


def _rewrite(attempt: Attempt) -> Rewrite:
    return Rewrite(
        technique=attempt.technique,
        kernel=attempt.kernel,
        line=attempt.line,
        edits=edits_between(attempt.parent_text, attempt.text),
        summary=attempt.summary,
        labels=attempt.labels,
        assumptions=attempt.assumptions,
        origin=None if attempt.model is None else Origin(attempt.model, attempt.calls),
        in_others=tuple(
            FileEdits(file.path, edits_between(file.before_text, file.after_text))
            for file in attempt.also
            if file.before_text != file.after_text
        ),
    )
