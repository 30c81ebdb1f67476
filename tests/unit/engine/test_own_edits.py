"""A technique is recognised in somebody's edit by what the expert would write for the same kernel."""

from __future__ import annotations

from assistant.cuda.edits import apply_edits
from assistant.engine.own_edits import Recognised, recognised
from assistant.model.plan import Rewrite
from assistant.plan.expert.all_transformations import EXPERT_TRANSFORMATIONS
from assistant.plan.expert.planner import ExpertPlanner
from tests.unit.plan.planner.test_planner import CATALOGUE, TEXT, request

PLANNER = ExpertPlanner(CATALOGUE, EXPERT_TRANSFORMATIONS)


async def _written(technique: str) -> str:
    asked = request()
    step = next(step for step in (await PLANNER.plan(asked)).steps if step.technique == technique)
    rewrite = await anext(aiter(PLANNER.rewrites(asked, step)))
    assert isinstance(rewrite, Rewrite)
    text = apply_edits(TEXT, rewrite.edits)
    assert isinstance(text, str)
    return text


async def _found(after: str) -> Recognised | None:
    return await recognised(request(), PLANNER, after)


async def test_the_rules_own_code_is_recognised_whatever_its_comments() -> None:
    found = await _found(f"// by hand\n{await _written('shared-memory-padding')}")
    assert found is not None and (found.step.technique, found.likeness) == ("shared-memory-padding", 1.0)


async def test_an_edit_that_adds_most_of_the_same_code_is_recognised() -> None:
    staged = await _written("staged-store")
    found = await _found(staged.replace("__syncthreads();\n", "__syncthreads();\n  // now the store\n", 1).replace("_out", "_o"))
    assert found is not None and found.step.technique == "staged-store" and found.likeness >= 0.6


async def test_another_edit_teaches_nothing() -> None:
    load = "in[threadIdx.y * 32 + threadIdx.x]"
    assert load in TEXT
    assert await _found(TEXT.replace(load, "__ldg(in + threadIdx.y * 32 + threadIdx.x)")) is None
    assert await _found(TEXT) is None
