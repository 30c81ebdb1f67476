"""Two planners as one: what rules propose and what a model proposes compete in one search, under one judge.

Example::

    MixedPlanner(expert, llm).name    # "expert + llm:small"
"""

from __future__ import annotations

from collections.abc import AsyncIterator

from assistant.model.plan import Plan, Rewrite, Setback, Step, UnwrittenStep
from assistant.ports.planner import Planner, PlanRequest, Story

__all__ = ["MixedPlanner"]


class MixedPlanner:
    """Steps of both, by rank; each step is written and repaired by the planner that planned it."""

    def __init__(self, expert: Planner, llm: Planner) -> None:
        self._expert = expert
        self._llm = llm

    @property
    def name(self) -> str:
        return f"{self._expert.name} + {self._llm.name}"

    async def plan(self, request: PlanRequest) -> Plan:
        """Highest rank first; of equals the expert's, which costs nothing to write."""
        expert = await self._expert.plan(request)
        llm = await self._llm.plan(request)
        steps = sorted((*expert.steps, *llm.steps), key=lambda step: -step.rank)
        return Plan(tuple(steps), (*expert.declines, *llm.declines), self.name, (*expert.notes, *llm.notes))

    async def rewrites(self, request: PlanRequest, step: Step) -> AsyncIterator[Rewrite | UnwrittenStep]:
        async for rewrite in self._planner_of(step).rewrites(request, step):
            yield rewrite

    async def improved(self, request: PlanRequest, step: Step, rewrite: Rewrite, setback: Setback) -> Rewrite | UnwrittenStep | None:
        return await self._planner_of(step).improved(request, step, rewrite, setback)

    async def explained(self, story: Story) -> str | None:
        return await self._llm.explained(story)

    def _planner_of(self, step: Step) -> Planner:
        return self._expert if step.planner == self._expert.name else self._llm
