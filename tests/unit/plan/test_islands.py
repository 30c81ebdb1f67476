"""Several models as one planner: who plans for which island, and who goes on with what was planned."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from assistant.model.completion import ModelRole, ServedModel
from assistant.plan.catalogue import Catalogue
from assistant.plan.islands import IslandPlanners
from assistant.plan.llm.planner import LlmPlanner
from assistant.plan.providers.opening import patience_for
from tests.contracts.fake_model import FakeModel
from tests.unit.plan.llm.bed import Ledger, request_of, settings, stamps

PLAN = json.dumps({"steps": [{"technique": "shared-tile", "title": "Tile", "line": 14, "rationale": "Stores scatter."}], "declined": []})


class Named(FakeModel):
    """A model of another name in every island."""

    def served(self, role: ModelRole, island: int = 0) -> ServedModel:
        return replace(super().served(role), model=f"model-{island}")


async def test_each_island_has_its_planner_and_a_step_goes_back_to_who_planned_it() -> None:
    models = [Named(lambda request: PLAN if request.role is ModelRole.PLANNER else "no code") for _ in range(2)]
    planners = [LlmPlanner(model, Ledger(), Catalogue(()), settings(), stamps(), island) for island, model in enumerate(models)]
    together = IslandPlanners(planners)
    assert together.name == "llm:model-0 + llm:model-1"
    plans = [await together.plan(replace(request_of(), island=island)) for island in (0, 1)]
    assert [plan.steps[0].planner for plan in plans] == ["llm:model-0", "llm:model-1"]
    _ = [rewrite async for rewrite in together.rewrites(request_of(), plans[1].steps[0])]
    assert [{request.island for request in model.requests} for model in models] == [{0}, {1}]
    assert [any(request.role is ModelRole.CODER for request in model.requests) for model in models] == [False, True]


@pytest.mark.parametrize(
    ("model", "more", "silence_s"),
    [
        ("small", {}, 300.0),
        ("o3", {}, 1200.0),
        ("my-thinker", {"profiles": ["my-*: reasoning"]}, 1200.0),
        ("o3", {"timeout_s": 60}, 60.0),
    ],
)
def test_a_model_that_reasons_may_be_silent_for_longer(model: str, more: dict[str, object], silence_s: float) -> None:
    assert patience_for(settings(provider=more).provider, model).silence_s == silence_s
