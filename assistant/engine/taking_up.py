"""What an interrupted search had kept, judged afresh and built on, without asking a model for it once more.

The expert's plans are made again in no time and need no such help; a model's edits lie in memory with their texts.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import dataclass

from assistant.engine.frontier import Frontier, Node
from assistant.engine.round import Kit
from assistant.model import events
from assistant.model.attempt import Attempt
from assistant.model.plan import Origin, Rewrite, Step
from assistant.model.profile import Severity
from assistant.source.edits import edits_between

__all__ = ["TakingUp"]

_KEPT = "kept"


@dataclass
class TakingUp:
    """Rebuilds the versions that an earlier job had kept."""

    kit: Kit
    frontier: Frontier

    async def run(self) -> AsyncIterator[events.Event]:
        """Judge them again, parents before children; ``frontier`` is where the search goes on."""
        if not self.kit.shape.asks_models:
            return
        kept = [a for a in self.kit.earlier.attempts if a.outcome == _KEPT and a.kernel == self._kernel_key()]
        level = {self.frontier.root.text: self.frontier.root}
        while level:
            below: dict[str, Node] = {}
            for attempt in kept:
                parent = level.get(attempt.parent_text)
                if parent is None or parent.link.needs_decision:
                    continue
                node = await self._judged(parent, attempt)
                if node is not None:
                    below[attempt.text] = node
                    text = f"{self.kit.name}: takes up {attempt.technique} at line {attempt.line}, which {self.kit.earlier.job} had kept"
                    yield self.kit.job.message(Severity.INFORMATION, text)
            self.frontier = self.frontier.after(below.values())
            level = below

    async def _judged(self, parent: Node, attempt: Attempt) -> Node | None:
        """None where it does not hold any more."""
        trial = self.kit.book.known(parent.text, attempt.text)
        if trial is None:
            trial = await self.kit.tries.judge(parent.link, self._step(attempt), _rewrite(attempt))
            self.kit.book.keep(parent.text, trial)
        ratio = trial.tried.ratio
        return None if trial.link is None or ratio is None else Node(trial.link, parent.ratio * ratio, parent.taken)

    def _step(self, attempt: Attempt) -> Step:
        """As it was planned, as far as the log still has it."""
        planned = (event for event in self.kit.earlier.log if isinstance(event, events.PlanMade))
        wanted = (attempt.technique, attempt.line, attempt.planner)
        known = (step for plan in planned for step in plan.steps if (step.technique, step.line, step.planner) == wanted)
        bare = Step(attempt.technique, attempt.kernel, attempt.line, attempt.summary, (), attempt.finding, (), 0.0, planner=attempt.planner)
        return next(known, bare)

    def _kernel_key(self) -> str:
        return self.kit.bench.kernel(self.kit.start)[0].kernel.key


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
    )
