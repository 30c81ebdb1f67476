"""Predictions next to what was counted after the edit, wherever the edit moved the line."""

from dataclasses import replace

import pytest

from assistant.engine.proposals.scoring import ScoredVersion, score_predictions, score_ratio
from assistant.engine.proposals.steps import followed
from assistant.model.build import KernelResources
from assistant.model.plan import MetricPrediction
from assistant.model.profile import InstructionMix

_BEFORE = "int i;\nloop\n  c[i] += a[k];\nend\n"
_AFTER = "int i;\nfloat sum;\nloop\n  sum += a[k];\nend\nc[i] = sum;\n"


def _score(predictions, line, before, after):
    return [
        (o.actual, o.is_hit)
        for o in score_predictions(tuple(predictions), line, ScoredVersion(_BEFORE, before), ScoredVersion(_AFTER, after))
    ]


def test_a_store_that_left_its_loop_is_found_where_it_went(assessed, access) -> None:
    before = assessed(access("global store", 3, 2048, 8192))
    after = assessed(access("global store", 6, 8, 32))
    per_warp = MetricPrediction("global_requests_per_warp", 256, 1, "requests/warp")
    sectors = MetricPrediction("global_sectors", 8192, 32, "sectors")
    assert _score([per_warp, sectors], 3, before, after) == [(1, True), (32, True)]


def test_the_access_is_the_one_that_most_predictions_start_from(assessed, access) -> None:
    before = assessed(access("global load", 3, 4096, 8192), access("global store", 3, 2048, 8192))
    after = assessed(access("global load", 4, 4096, 8192), access("global store", 6, 8, 32))
    per_warp = MetricPrediction("global_requests_per_warp", 256, 1, "requests/warp")
    sectors = MetricPrediction("global_sectors", 8192, 32, "sectors")
    assert _score([per_warp, sectors], 3, before, after) == [(1, True), (32, True)]


def test_of_a_load_and_a_store_that_agree_alike_the_store_is_meant(assessed, access) -> None:
    """``c[i] += a[k]``, of which the compiler forwards ``c[i]`` from iteration to iteration."""
    before = assessed(access("global load", 3, 2048, 8192), access("global store", 3, 2048, 8192))
    after = assessed(access("global load", 4, 2048, 8192), access("global store", 6, 8, 32))
    per_warp = MetricPrediction("global_requests_per_warp", 256, 1, "requests/warp")
    sectors = MetricPrediction("global_sectors", 8192, 32, "sectors")
    assert _score([per_warp, sectors], 3, before, after) == [(1, True), (32, True)]


@pytest.mark.parametrize(("counted", "is_hit"), [(32, True), (41, True), (52, True), (60, False), (256, False), (10, True), (0, False)])
def test_a_hit_is_within_a_tenth_of_the_predicted_change(assessed, access, counted, is_hit) -> None:
    before = assessed(access("global store", 3, 64, 256))
    after = assessed(access("global store", 4, 64, counted))
    sectors = MetricPrediction("global_sectors", 256, 32, "sectors")
    assert _score([sectors], 3, before, after) == [(counted, is_hit)]


def test_a_metric_that_no_counter_answers_is_not_scored(assessed, access) -> None:
    kernels = assessed(access("global store", 3, 64, 256))
    unknown = MetricPrediction("warmth", 1, 2, "")
    elsewhere = MetricPrediction("global_sectors", 999, 32, "sectors")
    assert _score([unknown, elsewhere], 3, kernels, kernels) == [(None, None), (None, None)]


def test_a_prediction_starts_from_what_was_counted_but_for_rounding(assessed, access) -> None:
    before = assessed(access("global store", 3, 64, 10_000))
    for start, is_scored in ((10_000.009, True), (9_999.991, True), (10_000.1, False), (9_999, False)):
        sectors = MetricPrediction("global_sectors", start, 32, "sectors")
        assert (_score([sectors], 3, before, before) != [(None, None)]) is is_scored


@pytest.mark.parametrize(("first", "second"), [(0, 1), (1, 0)])
def test_the_launches_that_take_longest_are_scored(assessed, first: int, second: int) -> None:
    kernels = (assessed(blocks=3, count=2.0), assessed(blocks=5, count=3.0))
    predictions = [MetricPrediction("block_count", 5, 5, "blocks")]
    assert _score(predictions, 1, *[(*kernels[first], *kernels[second])] * 2) == [(5, True)]


def test_what_was_not_launched_is_not_scored(assessed) -> None:
    predictions = [MetricPrediction("block_count", 4, 4, "blocks")]
    for before, after in ((assessed(), ()), ((), assessed())):
        assert _score(predictions, 1, before, after) == [(None, None)]


@pytest.mark.parametrize(
    ("metric", "counted"),
    [("global_sectors", 96), ("global_requests", 24), ("global_sectors_per_request", 4), ("global_requests_per_warp", 3)],
)
def test_accesses_of_a_line_are_added_up_and_a_last_warp_that_is_not_full_counts(assessed, access, metric: str, counted: float) -> None:
    kernels = assessed(access("global load", 3, 8, 32), access("global load", 3, 16, 64), access("global load", 1, 5, 50), threads=33)
    assert _score([MetricPrediction(metric, counted, counted, "")], 3, kernels, assessed(blocks=4, threads=33)) == [(0, False)]
    moved = assessed(access("global load", 4, 8, 32), access("global load", 4, 16, 64), access("global store", 4, 1, 1), threads=33)
    assert _score([MetricPrediction(metric, counted, counted, "")], 3, kernels, moved) == [(counted, True)]


def test_bank_conflicts_are_wavefronts_over_their_ideal(assessed, access) -> None:
    before = assessed(access("shared load", 3, 8, 256, ideal=8))
    after = assessed(access("shared load", 4, 8, 16, ideal=8))
    predictions = [MetricPrediction("shared_wavefronts", 256, 16, ""), MetricPrediction("shared_conflict_factor", 32, 2, "")]
    assert _score(predictions, 3, before, after) == [(16, True), (2, True)]


@pytest.mark.parametrize(
    ("predicted", "ratio", "scored"), [(None, 11.0, []), (11.0, None, []), (11.0, 10.0, [(10.0, True)]), (11.0, 9.9, [(9.9, False)])]
)
def test_a_plans_own_ratio_is_held_to_a_tenth_of_its_gain(predicted: float | None, ratio: float | None, scored: list[object]) -> None:
    found = score_ratio(predicted, ratio)
    assert [(outcome.actual, outcome.is_hit) for outcome in found] == scored
    assert [outcome.prediction for outcome in found] == [MetricPrediction("time_ratio", 1.0, 11.0, "ratio")] * len(scored)


def test_launch_metrics_are_read_off_the_launch(assessed, access) -> None:
    before, after = assessed(blocks=3, threads=128, warps=16), assessed(blocks=6, threads=64, warps=32)
    predictions = [
        MetricPrediction("block_count", 3, 6, "blocks"),
        MetricPrediction("block_threads", 128, 64, "threads"),
        MetricPrediction("occupancy", 0.25, 0.5, "ratio"),
        MetricPrediction("resident_warps_per_sm", 16, 32, "warps"),
    ]
    assert _score(predictions, 1, before, after) == [(6, True), (64, True), (0.5, True), (32, True)]
    unknown = tuple(replace(item, launches=tuple(replace(launch, occupancy=None) for launch in item.launches)) for item in after)
    assert _score(predictions[2:], 1, before, unknown) == [(None, None)] * 2


def test_the_stack_is_the_compilers(assessed) -> None:
    none = tuple(replace(kernel, resources=None) for kernel in assessed())
    empty = tuple(replace(kernel, resources=KernelResources("k", "k", "sm_90", 32, 0, 0, 0, 0, 0)) for kernel in none)
    predictions = [MetricPrediction("stack_bytes", 24, 0, "bytes/thread")]
    assert _score(predictions, 3, none, empty) == [(0, True)]
    assert _score(predictions, 3, empty, none) == [(None, None)]


def test_instructions_are_counted_on_the_lines_of_the_edit(assessed) -> None:
    before = assessed(mixes=((3, InstructionMix(fp64=100)),))
    after = assessed(mixes=((4, InstructionMix(fp64=2)), (5, InstructionMix(fp64=50))))
    doubles = MetricPrediction("fp64_instructions", 100, 0, "instructions")
    assert _score([doubles], 3, before, after) == [(2, True)]


def test_reuse_is_loads_per_distinct_sector_of_a_block(assessed, access) -> None:
    before = assessed(access("global load", 3, 64, 800), block_unique=100)
    after = assessed(access("global load", 4, 8, 100), block_unique=100)
    reuse = MetricPrediction("load_reuse_in_block", 8, 1, "loads/sector")
    assert _score([reuse], 3, before, after) == [(1, True)]
    assert _score([reuse], 3, before, assessed(access("global load", 4, 8, 100))) == [(None, None)]


def test_lines_are_followed_through_an_edit() -> None:
    assert followed(_BEFORE, _AFTER, 1) == {1}
    assert followed(_BEFORE, _AFTER, 2) == {3}
    assert followed(_BEFORE, _AFTER, 3) == {4}
    assert followed("a\nb\n", "a\n", 2) == frozenset()


@pytest.mark.parametrize("others", [(2,), (4,), (2, 4)])
def test_a_prediction_about_a_line_without_accesses_is_not_scored_by_those_of_others(assessed, access, others: tuple[int, ...]) -> None:
    kernels = assessed(*(access("global load", line, 8, 32) for line in others))
    assert _score([MetricPrediction("global_sectors", 0, 32, "sectors")], 3, kernels, kernels) == [(None, None)]


def test_an_edit_of_no_launch_has_no_reuse_to_score(assessed, access) -> None:
    loads = access("global load", 3, 64, 800)
    (score,) = _score(
        [MetricPrediction("load_reuse_in_block", 8, 1, "")], 3, assessed(loads, block_unique=100), assessed(loads, block_unique=0)
    )
    assert score == (None, None)
