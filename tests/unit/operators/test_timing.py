"""What times of contenders amount to: made of rounds by hand."""

from __future__ import annotations

import random
from typing import Any

import pytest

from assistant.model.comparison import SpeedOutcome
from assistant.operators.timing import CANDIDATE, EAGER, RanKernel, compared

GRAPHED = "candidate in a CUDA graph"


def rounds(**times_s: tuple[float, float]) -> list[dict[str, Any]]:
    """Twelve rounds; each contender by its call and device time, which vary by a thousandth."""
    chance = random.Random(5)

    def turns(time_s: float) -> list[float]:
        return [time_s * chance.uniform(0.999, 1.001) for _ in range(2)]

    named = {name.replace("_", " "): times for name, times in times_s.items()}
    return [{name: {"call": turns(call), "device": turns(device)} for name, (call, device) in named.items()} for _ in range(12)]


def answer(times: list[dict[str, Any]], **changes: Any) -> dict[str, Any]:
    made: dict[str, Any] = {
        "names": list(times[0]), "left_out": [], "wrong": [], "replaced": [], "rounds": times, "alone_s": 40e-6, "device": "a GPU",
        "torch": "2.11.0", "settings": {"float32 products": "float32", "autocast": False}, "kernels": {},
    }  # fmt: skip
    return made | changes


EAGER_40, COMPILED_20, CANDIDATE_10 = (50e-6, 40e-6), (60e-6, 20e-6), (25e-6, 10e-6)


def test_the_candidate_is_compared_with_each_baseline_by_call_and_on_the_device() -> None:
    found = compared(answer(rounds(eager=EAGER_40, compile=COMPILED_20, candidate=CANDIDATE_10)), 7)
    ratios = {ratio.baseline: (ratio.call.ratio, ratio.device.ratio) for ratio in found.ratios}
    assert ratios == {EAGER: (pytest.approx(2.0, rel=0.01), pytest.approx(4.0, rel=0.01)), "compile": pytest.approx((2.4, 2.0), rel=0.01)}
    eager = found.of(EAGER)
    assert eager is not None and eager.device.outcome is SpeedOutcome.FASTER and found.suspicion is None
    assert {time.name: time.device_s for time in found.times}["compile"] == pytest.approx(20e-6, rel=0.01)
    assert found.of("max-autotune") is None


def test_equals_are_not_told_apart() -> None:
    (ratio,) = compared(answer(rounds(eager=EAGER_40, candidate=EAGER_40)), 7).ratios
    assert {ratio.call.outcome, ratio.device.outcome} <= {SpeedOutcome.SAME, SpeedOutcome.INCONCLUSIVE}


def test_what_takes_microseconds_is_not_decided_by_the_events_own_error() -> None:
    (ratio,) = compared(answer(rounds(eager=(9e-6, 4.2e-6), candidate=(9e-6, 4.0e-6)), alone_s=4.2e-6), 7).ratios
    assert ratio.device.ratio == pytest.approx(1.05, rel=0.01) and ratio.device.outcome is SpeedOutcome.INCONCLUSIVE


def test_without_a_candidate_there_are_times_alone() -> None:
    found = compared(answer(rounds(eager=EAGER_40, compile=COMPILED_20)), 7)
    assert [time.name for time in found.times] == [EAGER, "compile"] and found.ratios == found.graphed == ()


def test_each_baseline_has_the_kernels_that_a_call_of_it_runs() -> None:
    ran = {"compile": [{"name": "triton_poi_fused_add_relu_0", "count": 1, "time_s": 2e-6}]}
    found = compared(answer(rounds(eager=EAGER_40, compile=COMPILED_20, candidate=CANDIDATE_10), kernels=ran), 7)
    assert {time.name: time.kernels for time in found.times if time.kernels} == {
        "compile": (RanKernel("triton_poi_fused_add_relu_0", 1, 2e-6),)
    }


def test_a_candidate_in_a_graph_is_compared_apart() -> None:
    found = compared(answer(rounds(eager=EAGER_40, candidate=CANDIDATE_10, candidate_in_a_CUDA_graph=(5e-6, 5e-6))), 7)
    assert [ratio.baseline for ratio in found.ratios] == [ratio.baseline for ratio in found.graphed] == [EAGER]
    assert found.graphed[0].call.ratio == pytest.approx(10.0, rel=0.01)


@pytest.mark.parametrize("name", [GRAPHED, "compile"])
def test_what_leaves_other_values_is_not_timed(name: str) -> None:
    times = rounds(eager=EAGER_40, compile=COMPILED_20, candidate=CANDIDATE_10, candidate_in_a_CUDA_graph=(5e-6, 5e-6))
    found = compared(answer(times, wrong=[name], left_out=[["max-autotune", "no"]]), 7)
    assert name not in [time.name for time in found.times] and found.suspicion is None
    assert found.left_out == (("max-autotune", "no"), (name, "it leaves other values than the reference does"))


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"wrong": [CANDIDATE]}, "leaves other values when it is timed"),
        ({"replaced": ["time.perf_counter"]}, "other functions than before: time.perf_counter"),
        ({"alone_s": 20e-6}, "takes 2.00 times as long as it did"),
    ],
)
def test_times_that_something_speaks_against_are_not_believed(changes: dict[str, Any], said: str) -> None:
    found = compared(answer(rounds(eager=EAGER_40, candidate=CANDIDATE_10), **changes), 7)
    assert found.suspicion is not None and said in found.suspicion


def test_the_method_names_device_settings_and_rounds() -> None:
    method = compared(answer(rounds(eager=EAGER_40)), 7).method
    assert "n=12 rounds" in method and "a GPU, PyTorch 2.11.0; float32 products: float32, autocast: off" in method
