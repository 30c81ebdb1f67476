"""What is made of timings: the verdict, and what speaks against believing it."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import pytest

from assistant.engine.judge.speed import _least_times  # pyright: ignore[reportPrivateUsage]
from assistant.engine.judge.timing_verdict import (
    Speed,
    judge_timing,
    of_memory_timed_elsewhere,
    overall_speed,
    with_findings,
    without_added_operations,
    without_added_work,
)
from assistant.measure.bounds import least_time_s
from assistant.measure.targets import target
from assistant.model.comparison import SpeedOutcome
from assistant.model.launch import Dim3, LaunchConfig
from assistant.model.recording import DeviceOperations, Recording, ShapeCount
from assistant.model.timing import Block, CaseTiming, PairTiming, SelfTest, TimedDevice
from assistant.model.verification import Outcome, VerificationFinding

_CONFIG = LaunchConfig(Dim3(1), Dim3(32))
_BLOCKS = tuple(Block(order, tuple(2e-4 if letter == "A" else 1e-4 for letter in order)) for order in ("ABBA", "BAAB") * 10)
_CASE = CaseTiming("n=8", 1.0, _BLOCKS, "events", 5, 1, 3e-6, 2, False, "width", 0.1)
_TIMING = PairTiming((_CASE,), TimedDevice("NVIDIA H200", "GPU-1", "580", "nvcc 13.0"), SelfTest(1.0, 0.952, (), 0.1))


def _judged(timing: PairTiming = _TIMING, least_s: float = 5e-5, predicted=None) -> Speed:
    return judge_timing(timing, predicted, {"n=8": least_s}, seed=1)


def _outcome(speed: Speed) -> SpeedOutcome:
    assert speed.comparison is not None
    return speed.comparison.outcome


def test_a_measured_gain_carries_what_the_model_had_said(predicted) -> None:
    speed = _judged(predicted=predicted(1.7))
    assert _outcome(speed) is SpeedOutcome.FASTER
    assert speed.comparison is not None and speed.comparison.predicted_ratio == 1.7
    assert (speed.findings, speed.notes) == ((), ())


def test_a_gain_beyond_what_the_device_can_do_is_left_to_a_person(verdict) -> None:
    speed = _judged(least_s=1.2e-4)
    assert _outcome(speed) is SpeedOutcome.INCONCLUSIVE
    doubted = with_findings(verdict(), speed)
    assert (doubted.outcome, doubted.findings[-1].code) == (Outcome.NEEDS_DECISION, "impossible_speed")


def test_wrong_values_of_timed_calls_fail(verdict) -> None:
    wrong = VerificationFinding("differs_when_timed", Outcome.FAIL, "a timed call left other results: out[3] is 0 instead of 1")
    failed = with_findings(verdict(), judge_timing(_TIMING, None, {}, 1, (wrong,)))
    assert (failed.outcome, failed.findings[-1].code) == (Outcome.FAIL, "differs_when_timed")


def test_large_results_that_only_the_edit_varies_are_left_to_a_person_as_timed_calls_cannot_be_checked(verdict) -> None:
    alone, both = (replace(_TIMING, cases=(replace(_CASE, unchecked_versions=who),)) for who in (("B",), ("A", "B")))
    judged = with_findings(verdict(), _judged(alone))
    assert (judged.outcome, judged.findings[-1].code) == (Outcome.NEEDS_DECISION, "unchecked_when_timed")
    assert with_findings(verdict(), _judged(both)).outcome is Outcome.PASS


def test_nothing_is_faster_on_a_device_whose_self_test_failed() -> None:
    speed = _judged(replace(_TIMING, self_test=SelfTest(1.2, 0.95, ("a kernel timed against itself came out FASTER (1.200x)",), 0.1)))
    assert _outcome(speed) is SpeedOutcome.INCONCLUSIVE
    assert speed.comparison is not None and speed.comparison.quality == "poor"
    assert "failed its self-test" in speed.notes[0] and "failed its self-test" in speed.comparison.caveats[0]


@pytest.mark.parametrize(("ratio", "outcome"), [(1.1, SpeedOutcome.INCONCLUSIVE), (0.9, SpeedOutcome.PREDICTED)])
def test_a_gain_over_all_kernels_is_none_where_one_of_them_is_in_doubt(predicted, ratio: float, outcome: SpeedOutcome) -> None:
    doubted = replace(predicted(1.4), outcome=SpeedOutcome.INCONCLUSIVE, caveats=("not in the ratio: B also makes 5 fills",))
    overall = overall_speed(None, [Speed(doubted), Speed(predicted(1.0))], predicted(ratio))  # type: ignore[arg-type]  # nothing was timed
    assert overall is not None and overall.outcome is outcome and overall.caveats == doubted.caveats
    certain = overall_speed(None, [Speed(predicted(1.4))], predicted(ratio))  # type: ignore[arg-type]
    assert certain is not None and certain.outcome is SpeedOutcome.PREDICTED


def test_notes_of_the_timing_reach_people_once() -> None:
    noted = replace(_CASE, notes=("results of A change from run to run",))
    assert _judged(replace(_TIMING, cases=(noted, noted))).notes == noted.notes


def test_a_version_at_the_limit_of_its_bytes_is_known_to_be_left_alone() -> None:
    assert _judged(least_s=9.5e-5).advice == "at 95 % of what moving its bytes allows: at most 1.05x is left; stop here"
    assert _judged(least_s=5e-5).advice is None


def test_nothing_is_concluded_of_buffers_in_the_hosts_memory() -> None:
    speed = of_memory_timed_elsewhere(_judged(), {"n=8": frozenset({"device", "host"})})
    assert _outcome(speed) is SpeedOutcome.INCONCLUSIVE
    assert speed.comparison is not None and speed.comparison.cases[0].outcome is SpeedOutcome.INCONCLUSIVE
    assert "page-locked host memory" in speed.notes[0] and "page-locked host memory" in speed.comparison.caveats[0]


def test_managed_memory_is_judged_as_it_is_on_the_device_and_that_is_said() -> None:
    speed = of_memory_timed_elsewhere(_judged(), {"n=8": frozenset({"managed"})})
    assert _outcome(speed) is SpeedOutcome.FASTER
    assert "without its migration" in speed.notes[0]
    assert of_memory_timed_elsewhere(_judged(), {"n=8": frozenset({"device", "constant"})}) == _judged()


_A = Recording((), (), (), (), shape_counts=(ShapeCount("k()", _CONFIG, 1),), operations=())
_FILL = (DeviceOperations("fill", 1, 64),)


def _sides(a: Recording | None, b: Recording | None) -> Any:
    return [SimpleNamespace(counted=SimpleNamespace(recording=one)) for one in (a, b)]


@pytest.mark.parametrize(
    ("outcome", "ratio", "is_doubted"),
    [
        (SpeedOutcome.FASTER, 0.9, True),
        (SpeedOutcome.PREDICTED, 1.01, True),
        (SpeedOutcome.PREDICTED, 1.0, False),
        (SpeedOutcome.SAME, 1.2, False),
        (SpeedOutcome.SLOWER, 1.2, False),
    ],
)
def test_work_that_only_b_does_forbids_a_gain_and_is_named(predicted, outcome: SpeedOutcome, ratio: float, is_doubted: bool) -> None:
    speed = replace(predicted(ratio), outcome=outcome, caveats=("first",))
    more = replace(_A, shape_counts=(ShapeCount("k()", _CONFIG, 2),), operations=_FILL)
    launches, fills = "launch", "1 fill, 64 bytes"
    doubted = SpeedOutcome.INCONCLUSIVE if is_doubted else outcome
    found = without_added_work(speed, *_sides(_A, more))
    assert (found.outcome, found.caveats) == (doubted, ("first", f"not in the ratio: B also makes 1 {launches}, {fills}"))
    found = without_added_operations(speed, *_sides(_A, more))
    assert (found.outcome, found.caveats) == (doubted, ("first", f"not in the ratio: B also makes {fills}"))


def test_work_that_is_not_known_is_said_and_the_same_is_not(predicted) -> None:
    speed = predicted(2.0)
    for recordings in ((None, _A), (_A, None), (_A, _A), (_A, replace(_A))):
        assert without_added_work(speed, *_sides(*recordings)) == speed
    for unknown in ((replace(_A, operations=None), _A), (_A, replace(_A, operations=None))):
        found = without_added_work(speed, *_sides(*unknown))
        assert (found.outcome, found.caveats) == (SpeedOutcome.PREDICTED, ("copies and fills of both were not compared",))


def test_all_that_was_timed_is_one_comparison_and_else_it_stays_predicted(predicted) -> None:
    job: Any = SimpleNamespace(seeds=(1, 2))
    one, other = _judged(), _judged(replace(_TIMING, cases=(replace(_CASE, shape="n=9", weight=3.0),)))
    both = overall_speed(job, (one, other), None)
    assert both is not None and [case.shape for case in both.cases] == ["n=8", "n=9"] and both.outcome is SpeedOutcome.FASTER
    assert overall_speed(job, (one, Speed(predicted(1.0))), None) is None
    assert overall_speed(job, (), predicted(1.5)) == predicted(1.5)
    assert overall_speed(job, (one, Speed(predicted(1.0))), predicted(1.5)) == predicted(1.5)
    noted = replace(predicted(1.0), caveats=("noted", "noted"))
    assert overall_speed(job, (Speed(noted), Speed(noted), Speed(None)), predicted(1.0)) == replace(predicted(1.0), caveats=("noted",))


@pytest.mark.parametrize(
    ("doubt", "is_doubted"),
    [
        ({"findings": (VerificationFinding("impossible_speed", Outcome.NEEDS_DECISION, "too fast"),)}, True),
        ({"host_shapes": ("n=8",)}, True),
        ({"timing": replace(_TIMING, self_test=SelfTest(1.2, 0.95, ("wrong",), 0.1))}, True),
        ({"timing": replace(_TIMING, self_test=None)}, False),
        ({"notes": ("a note",)}, False),
    ],
)
def test_what_speaks_against_one_kernels_time_speaks_against_all(doubt: dict[str, Any], is_doubted: bool) -> None:
    job: Any = SimpleNamespace(seeds=(1, 2))
    overall = overall_speed(job, (replace(_judged(), **doubt), _judged()), None)
    assert overall is not None and (overall.outcome is SpeedOutcome.INCONCLUSIVE) is is_doubted


def test_an_inconclusive_time_of_one_kernel_is_a_doubt_only_with_a_reason() -> None:
    job: Any = SimpleNamespace(seeds=(1, 2))
    speed = _judged()
    assert speed.comparison is not None
    for caveats, outcome in (((), SpeedOutcome.FASTER), (("reason",), SpeedOutcome.INCONCLUSIVE)):
        open_ = replace(speed, comparison=replace(speed.comparison, outcome=SpeedOutcome.INCONCLUSIVE, caveats=caveats))
        overall = overall_speed(job, (open_,), None)
        assert overall is not None and overall.outcome is outcome


def test_the_shape_that_takes_most_of_bs_time_says_whether_to_stop() -> None:
    heavy = replace(_CASE, shape="heavy", weight=3.0)
    both = replace(_TIMING, cases=(_CASE, heavy))
    for least_s, has_advice in (({"n=8": 9.9e-5}, False), ({"heavy": 9.5e-5}, True), ({"heavy": 5e-5, "n=8": 9.9e-5}, False), ({}, False)):
        assert (judge_timing(both, None, least_s, 1).advice is not None) is has_advice, least_s
    unweighted = replace(_TIMING, cases=(_CASE, replace(heavy, weight=0.0)))
    assert judge_timing(unweighted, None, {"n=8": 9.5e-5, "heavy": 1e-6}, 1).advice is not None
    failed = replace(_TIMING, self_test=SelfTest(1.2, 0.95, ("wrong",), 0.1))
    assert judge_timing(failed, None, {"n=8": 9.5e-5}, 1).advice is None
    assert (
        judge_timing(_TIMING, None, {"n=8": 1.0001e-4}, 1).advice
        == "at 100 % of what moving its bytes allows: at most 1.00x is left; stop here"
    )


def test_shapes_in_other_memory_are_named_in_order() -> None:
    device, host, managed = (frozenset({space}) for space in ("device", "host", "managed"))
    spaces = {"a": host, "b": device, "": managed, "d": host}
    speed = of_memory_timed_elsewhere(Speed(None, notes=("first",), advice="stop here"), spaces)
    assert speed.host_shapes == ("a", "d") and speed.comparison is None and speed.advice is None
    assert of_memory_timed_elsewhere(Speed(None, advice="stop here"), {"": managed}).advice == "stop here"
    first, of_host, of_managed = speed.notes
    assert (first, of_host.partition(":")[0], of_managed.partition(":")[0]) == ("first", "a; d", "its only shape")


def test_the_worst_of_a_verdict_and_what_timing_found_counts(verdict) -> None:
    open_ = VerificationFinding("impossible_speed", Outcome.NEEDS_DECISION, "too fast")
    for outcome, worst in ((Outcome.PASS, Outcome.NEEDS_DECISION), (Outcome.FAIL, Outcome.FAIL)):
        found = with_findings(verdict(outcome), Speed(None, findings=(open_,)))
        assert (found.outcome, found.findings) == (worst, (open_,))
    assert with_findings(verdict(), Speed(None)) == verdict()


def _started(config: LaunchConfig, *indices: int) -> Any:
    """A shape as B starts it: recorded launches 0 and 1, the second of another kernel, of which those with ``indices`` run."""
    launches = (SimpleNamespace(index=0, kernel="k(float*)", config=config), SimpleNamespace(index=1, kernel="other()", config=config))
    new = SimpleNamespace(launches=indices or (0,), recording=SimpleNamespace(launches=launches), origin=SimpleNamespace(shape="n=8"))
    return SimpleNamespace(name="n=8", new=new)


def test_the_least_time_of_a_shape_is_that_of_its_own_launches(assessed) -> None:
    (kernel,) = assessed()
    (launch,) = kernel.launches
    small, large = LaunchConfig(Dim3(2), Dim3(64)), LaunchConfig(Dim3(9), Dim3(64))

    def least(pair: Any, *launches: tuple[LaunchConfig, int | None, str]) -> float | None:
        counted = (
            replace(launch, shape=shape, profile=replace(launch.profile, config=config, unique_sectors=sectors))
            for config, sectors, shape in launches
        )
        pairs: Any = [SimpleNamespace(after=(replace(kernel, launches=tuple(counted)),))]
        return _least_times((pair,), pairs, target("h200")).get("n=8")

    def of(sectors: int) -> float:
        time_s = least_time_s(replace(launch.profile, unique_sectors=sectors), target("h200"))
        assert time_s is not None
        return time_s

    assert least(_started(large), (small, 10, ""), (large, 500, "")) == of(500)
    assert least(_started(small), (small, 10, ""), (large, 500, "")) == of(10)
    assert least(_started(large), (large, 500, "n=8"), (large, 10, "n=4"), (large, 700, "")) == of(500), "other shapes are left out"
    assert least(_started(large), (large, 500, ""), (large, None, "")) is None, "of one of them it is not known"
    assert least(_started(large), (small, 10, "")) is None
    assert least(_started(large, 0, 1), (large, 500, "")) is None, "several launches"
    assert least(_started(large, 1), (large, 500, "")) is None, "another kernel's launch"
