"""Several models as one planner: each plans for islands of the search, and writes and repairs what it planned.

Example::

    IslandPlanners((LlmPlanner(…), LlmPlanner(…, island=1))).name    # "llm:large + llm:small"
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence

from assistant.model.plan import Plan, Rewrite, Setback, Step, UnwrittenStep
from assistant.ports.planner import Planner, PlanRequest, Story

__all__ = ["IslandPlanners"]


class IslandPlanners:
    """Implements `Planner`; the first one explains."""

    def __init__(self, planners: Sequence[Planner]) -> None:
        self._planners = tuple(planners)

    @property
    def name(self) -> str:
        return " + ".join(dict.fromkeys(planner.name for planner in self._planners))

    async def plan(self, request: PlanRequest) -> Plan:
        return await self._planners[request.island % len(self._planners)].plan(request)

    async def rewrites(self, request: PlanRequest, step: Step) -> AsyncIterator[Rewrite | UnwrittenStep]:
        async for rewrite in self._planner_of(step).rewrites(request, step):
            yield rewrite

    async def improved(self, request: PlanRequest, step: Step, rewrite: Rewrite, setback: Setback) -> Rewrite | UnwrittenStep | None:
        return await self._planner_of(step).improved(request, step, rewrite, setback)

    async def explained(self, story: Story) -> str | None:
        return await self._planners[0].explained(story)

    def _planner_of(self, step: Step) -> Planner:
        return next((planner for planner in self._planners if planner.name == step.planner), self._planners[0])
