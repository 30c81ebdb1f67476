"""How much is compiled ahead: as the settings say, and nothing where it could disturb what is timed."""

from __future__ import annotations

import pytest

from assistant.config import Settings
from assistant.engine.search.shape import SearchShape, shape_for_models, shape_for_rules


@pytest.mark.parametrize(
    ("is_timed", "core_count", "ahead"), [(False, 1, 2), (False, 16, 2), (True, 2, 0), (True, 3, 0), (True, 4, 2), (True, 16, 2)]
)
def test_nothing_is_compiled_together_with_what_few_cores_time(is_timed: bool, core_count: int, ahead: int) -> None:
    assert SearchShape(parallel_builds=3).most_ahead(is_timed, core_count) == ahead


@pytest.mark.parametrize("count", [1, 2, 5])
def test_the_setting_holds_for_rules_and_models(count: int) -> None:
    settings = Settings.model_validate({"search": {"parallel_builds": count}})
    assert [shape(settings).most_ahead(False, 2) for shape in (shape_for_rules, shape_for_models)] == [count - 1, count - 1]


@pytest.mark.parametrize(("core_count", "count"), [(1, 1), (2, 1), (8, 2), (16, 4), (64, 4)])
def test_as_many_trials_share_a_gpu_as_cores_can_feed(core_count: int, count: int) -> None:
    assert SearchShape(trials_per_gpu=4).at_once(core_count, 64 << 30, 0) == count
    assert [shape(Settings()).at_once(core_count, 64 << 30, 64 << 20) for shape in (shape_for_rules, shape_for_models)] == [count, count]


@pytest.mark.parametrize(("core_count", "is_ahead"), [(1, False), (3, False), (4, True), (16, True)])
def test_nothing_is_prepared_ahead_where_it_would_take_the_cores_of_candidates(core_count: int, is_ahead: bool) -> None:
    assert SearchShape().prepares_ahead(core_count) == is_ahead


@pytest.mark.parametrize(("contents_bytes", "count"), [(1 << 29, 4), (1 << 30, 4), (2 << 30, 2), (8 << 30, 1)])
def test_no_more_are_tried_than_fit_into_memory(contents_bytes: int, count: int) -> None:
    assert SearchShape(trials_per_gpu=4).at_once(16, 64 << 30, contents_bytes) == count
