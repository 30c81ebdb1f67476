"""What builds model providers and the planners that ask them; loaded only by jobs that a model may plan.

Implements ``engine.planning.Models``.
"""

from __future__ import annotations

import asyncio
import os
import time
from collections.abc import Callable
from pathlib import Path

from assistant.config import Settings, user_paths, workspace_folder
from assistant.engine import new_id
from assistant.plan.catalogue import Catalogue
from assistant.plan.islands import IslandPlanners
from assistant.plan.llm.planner import LlmPlanner
from assistant.plan.llm.talk import Stamps, calls_in_flight
from assistant.plan.mixed import MixedPlanner
from assistant.plan.providers import ModelRelay, ProviderSetup, open_provider, read_prices
from assistant.ports.agent import Agent
from assistant.ports.operator_writer import OperatorWriter
from assistant.ports.planner import Planner
from assistant.ports.provider import Accounts, Provider
from assistant.record import Record

__all__ = ["ModelParts"]

_PROMPTS = "prompts"
"""Where ``manual`` writes prompts and reads answers, in the workspace's own folder."""


class ModelParts(Record):
    """Providers and planners of this process."""

    expert: Planner
    catalogue: Catalogue
    relay: ModelRelay | None = None
    """To the editor's own model."""
    prompts: Path | None = None
    """Where ``manual`` writes prompts and reads answers, in the place of the workspace's own folder."""

    def provider(self, settings: Settings, workspace: Path, on_waiting: Callable[[Path, Path], None]) -> Provider:
        """Raises UsageError where the settings name a provider that is not available here."""
        around = ProviderSetup(
            environment=os.environ,
            folder=self.prompts or workspace_folder(workspace) / _PROMPTS,
            prices=read_prices(user_paths().prices),
            relay=self.relay,
            on_waiting=on_waiting,
        )
        return open_provider(settings, around)

    def planner(self, is_alone: bool, provider: Provider, accounts: Accounts, settings: Settings, job: str) -> Planner:
        """A model alone, or together with the expert; several where islands of the search have models of their own."""
        stamps = Stamps(job, new_id, lambda: time.time_ns() // 1_000_000)
        in_flight = asyncio.Semaphore(calls_in_flight(settings.provider))
        models = [
            LlmPlanner(provider, accounts, self.catalogue, settings, stamps, island, in_flight)
            for island in range(settings.provider.island_model_count)
        ]
        model = models[0] if len(models) == 1 else IslandPlanners(models)
        return model if is_alone else MixedPlanner(self.expert, model)

    def agent(self, provider: Provider, accounts: Accounts, settings: Settings, job: str) -> tuple[Agent, Planner]:
        """A model that works with tools, and the planner that explains what it found."""
        stamps = Stamps(job, new_id, lambda: time.time_ns() // 1_000_000)
        model = LlmPlanner(provider, accounts, self.catalogue, settings, stamps)
        return model.agent(), model

    def writer(self, provider: Provider, accounts: Accounts, settings: Settings, job: str) -> OperatorWriter:
        """A model that writes first kernels of PyTorch tasks."""
        stamps = Stamps(job, new_id, lambda: time.time_ns() // 1_000_000)
        return LlmPlanner(provider, accounts, self.catalogue, settings, stamps).first_kernels()
