"""What is made of timings: the verdict, and what speaks against believing it."""

from __future__ import annotations

from dataclasses import replace

import pytest

from assistant.engine.judge.timing_verdict import Speed, judge_timing, of_memory_timed_elsewhere, overall_speed, with_findings
from assistant.model.comparison import SpeedOutcome
from assistant.model.timing import Block, CaseTiming, PairTiming, SelfTest, TimedDevice
from assistant.model.verification import Outcome, VerificationFinding

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
