"""A provider that is never asked, planners without plans, and what opens them."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass, field
from pathlib import Path

from assistant.config import Settings
from assistant.errors import UsageError
from assistant.model.completion import Completion, CompletionRequest, ModelRole, ServedModel
from assistant.model.plan import Plan, Rewrite, Setback, Step
from assistant.ports.planner import Planner, PlanRequest, Story
from assistant.ports.provider import Accounts, OnText, Provider


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
class FakeProvider:
    """Is never asked in these tests."""

    is_closed: bool = False

    def served(self, role: ModelRole) -> ServedModel:
        return ServedModel(role, "openai", "http://localhost/v1", "small", None)

    async def complete(self, request: CompletionRequest, on_text: OnText) -> Completion:
        raise AssertionError("nobody may be asked before the search")

    async def close(self) -> None:
        self.is_closed = True


@dataclass
class FakeModels:
    """Implements ``Models``."""

    opened: FakeProvider = field(default_factory=FakeProvider)
    problem: UsageError | None = None
    planned_by: Planner | None = None

    def provider(self, settings: Settings, workspace: Path, on_waiting: Callable[[Path, Path], None]) -> Provider:
        if self.problem is not None:
            raise self.problem
        return self.opened

    def planner(self, is_alone: bool, provider: Provider, accounts: Accounts, settings: Settings, job: str) -> Planner:
        return self.planned_by or FakePlanner("llm" if is_alone else "auto")
