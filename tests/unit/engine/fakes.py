"""Planners without plans, and what opens models that are never asked."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass, field
from pathlib import Path

from assistant.config import Settings
from assistant.errors import UsageError
from assistant.model.plan import Plan, Rewrite, Setback, Step
from assistant.ports.agent import Agent
from assistant.ports.planner import Planner, PlanRequest, Story
from assistant.ports.provider import Accounts, Provider
from tests.contracts.fake_model import FakeModel


@dataclass
class FakePlanner:
    """Has a name; plans nothing."""

    name: str

    async def plan(self, request: PlanRequest) -> Plan:
        return Plan((), (), self.name)

    async def rewrites(self, request: PlanRequest, step: Step) -> AsyncIterator[Rewrite]:
        for _ in ():
            yield _

    async def improved(self, request: PlanRequest, step: Step, rewrite: Rewrite, setback: Setback) -> None: ...

    async def explained(self, story: Story) -> None: ...


@dataclass
class FakeModels:
    """Implements ``Models``."""

    opened: FakeModel = field(default_factory=FakeModel)
    problem: UsageError | None = None
    planned_by: Planner | None = None
    worked_by: Agent | None = None

    def provider(self, settings: Settings, workspace: Path, on_waiting: Callable[[Path, Path], None]) -> Provider:
        if self.problem is not None:
            raise self.problem
        return self.opened

    def planner(self, is_alone: bool, provider: Provider, accounts: Accounts, settings: Settings, job: str) -> Planner:
        return self.planned_by or FakePlanner("llm" if is_alone else "auto")

    def agent(self, provider: Provider, accounts: Accounts, settings: Settings, job: str) -> tuple[Agent, Planner]:
        assert self.worked_by is not None, "no agent was asked for"
        return self.worked_by, self.planned_by or FakePlanner("agent")
