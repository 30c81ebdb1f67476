"""Sizes that the constructor of a task's model reads: tried where a candidate takes other ones, and named where they had one value."""

from __future__ import annotations

import pytest

from assistant.model import events
from tests.unit.engine import test_operator_pairs
from tests.unit.engine.test_operator_pairs import Asked

asked = test_operator_pairs.asked


@pytest.mark.parametrize(("is_for_any_model", "trials"), [(False, []), (True, [{"columns": 9}])])
async def test_a_candidate_for_any_model_is_tried_on_another_one(
    asked: Asked, is_for_any_model: bool, trials: list[dict[str, int]]
) -> None:
    await asked.judge(is_for_any_model=is_for_any_model)
    assert asked.sides.orders[0]["model_trials"] == trials, "where four neighbours fit, they no longer do"


@pytest.mark.parametrize("varied", [[], ["columns"]])
async def test_sizes_of_the_model_that_had_one_value_are_named(asked: Asked, varied: list[str]) -> None:
    asked.sides.varied = varied
    await asked.judge()
    named = [text for text in asked.only(events.ComparisonMade).verification.missing_checks if "other values of columns" in text]
    assert len(named) == (0 if varied else 1)
