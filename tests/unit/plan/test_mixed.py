"""Rules and a model in one search: steps compete by rank, each is written by the planner that planned it."""

from __future__ import annotations

from assistant.model.plan import Rewrite
from assistant.plan.expert.all_transformations import EXPERT_TRANSFORMATIONS
from assistant.plan.expert.planner import ExpertPlanner
from assistant.plan.mixed import MixedPlanner
from tests.unit.plan.llm.bed import KERNEL_TEXT, Bed, bed, catalogue, request_of

CODE = {"summary": "Store rows.", "parts": [{"part": "kernel", "code": KERNEL_TEXT.replace("out[x * n + y]", "out[y * n + x]")}]}
MINOR = {"technique": "fewer-registers", "line": 14, "rationale": "Fewer registers help."}
MAJOR = {"technique": "row-swap", "line": 14, "finding": "KO102", "rationale": "Stores move {E2}."}


def mixed(*answers: object) -> tuple[MixedPlanner, Bed]:
    made = bed(answers)
    return MixedPlanner(ExpertPlanner(catalogue(), EXPERT_TRANSFORMATIONS), made.planner), made


async def test_steps_of_both_are_ordered_by_rank() -> None:
    planner, _ = mixed({"steps": [MINOR, MAJOR]})
    plan = await planner.plan(request_of())
    assert plan.planner == "expert + llm:small"
    assert [step.planner for step in plan.steps][-2:] == ["llm:small", "llm:small"]
    assert [step.technique for step in plan.steps][-2:] == ["row-swap", "fewer-registers"]
    assert {step.planner for step in plan.steps} == {"expert", "llm:small"}


async def test_a_step_is_written_by_its_own_planner() -> None:
    planner, made = mixed({"steps": [MAJOR]}, CODE)
    plan = await planner.plan(request_of())
    models = {}
    for step in plan.steps:
        first = await anext(planner.rewrites(request_of(), step))
        assert isinstance(first, Rewrite)
        models[step.planner] = None if first.origin is None else first.origin.model
    assert models == {"expert": None, "llm:small": "small-2"}
    assert len(made.provider.requests) == 2


async def test_without_the_model_the_expert_still_plans() -> None:
    planner, _ = mixed("no plan", "none", "none again")
    plan = await planner.plan(request_of())
    assert plan.steps and all(step.planner == "expert" for step in plan.steps)
    assert any(decline.technique == "language-model" for decline in plan.declines)
