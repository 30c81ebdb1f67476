"""Which candidates are kept: the verdict, the cited metric and the prediction must all agree."""

from dataclasses import replace

import pytest

from assistant.engine.evaluate.metrics import metric_value, watched
from assistant.engine.proposals.gating import Citation, Improvement, NoImprovement, gate, is_proved_better
from assistant.model.comparison import SpeedOutcome
from assistant.model.profile import InstructionMix
from assistant.model.trial import TrialOutcome
from assistant.model.verification import Outcome, VerificationFinding
from assistant.profile.rules import RULES

_WRONG = VerificationFinding("wrong_value", Outcome.FAIL, "c[3] differs")


def _stores(assessed, access, sectors, **more):
    return assessed(access("global store", 7, 8, sectors), **more)


def test_a_correct_edit_that_improves_what_its_finding_cites_is_kept(assessed, access, verdict, predicted) -> None:
    kept = gate(Citation("KO101"), _stores(assessed, access, 256), _stores(assessed, access, 32), verdict(), predicted(1.5))
    assert kept == Improvement("global sectors 256 → 32")


def test_a_wrong_edit_is_refused_however_fast(assessed, access, verdict, predicted) -> None:
    failed = verdict(Outcome.FAIL, VerificationFinding("note", Outcome.PASS, "a note"), _WRONG)
    refused = gate(Citation("KO101"), _stores(assessed, access, 256), _stores(assessed, access, 32), failed, predicted(9.0))
    assert refused == NoImprovement(TrialOutcome.FAILED, "c[3] differs")


def test_a_gain_without_the_cited_metric_is_not_believed(assessed, access, verdict, predicted) -> None:
    same = _stores(assessed, access, 256)
    for after in (same, _stores(assessed, access, 300)):
        refused = gate(Citation("KO101"), same, after, verdict(), predicted(1.5))
        assert isinstance(refused, NoImprovement) and refused.outcome == TrialOutcome.NOT_BETTER


def test_a_better_metric_without_a_predicted_gain_is_not_enough(assessed, access, verdict, predicted) -> None:
    for ratio in (1.0, 0.8):
        refused = gate(Citation("KO101"), _stores(assessed, access, 256), _stores(assessed, access, 32), verdict(), predicted(ratio))
        assert refused == NoImprovement(TrialOutcome.NOT_BETTER, "global sectors 256 → 32, but no gain is predicted")


@pytest.mark.parametrize(("ratio", "is_kept"), [(1.004, False), (1.0099, False), (1.01, True)])
def test_a_gain_that_would_be_shown_as_none_is_not_offered(assessed, access, verdict, predicted, ratio, is_kept) -> None:
    judged = gate(Citation("KO101"), _stores(assessed, access, 256), _stores(assessed, access, 32), verdict(), predicted(ratio))
    assert isinstance(judged, Improvement) == is_kept


def test_a_decision_is_not_asked_for_a_small_gain(assessed, access, verdict, predicted) -> None:
    before, after, undecided = _stores(assessed, access, 256), _stores(assessed, access, 32), verdict(Outcome.NEEDS_DECISION)
    refused = gate(Citation("KO101"), before, after, undecided, predicted(1.03))
    assert isinstance(refused, NoImprovement) and "1.03x is too little" in refused.reason
    assert isinstance(gate(Citation("KO101"), before, after, verdict(), predicted(1.03)), Improvement)
    assert isinstance(gate(Citation("KO101"), before, after, undecided, predicted(1.05)), Improvement)
    assert "the predicted 1.04x" in gate(Citation("KO101"), before, after, undecided, predicted(1.04)).reason
    assert "the measured 1.04x" in gate(Citation("KO101"), before, after, undecided, measured(predicted, SpeedOutcome.FASTER, 1.04)).reason


def measured(predicted, outcome: SpeedOutcome, ratio: float):
    return replace(predicted(ratio), outcome=outcome, low=None)


def test_what_was_measured_decides_whatever_the_counters_say(assessed, access, verdict, predicted) -> None:
    before, worse = _stores(assessed, access, 32), _stores(assessed, access, 256)
    faster, slower = (measured(predicted, outcome, 1.02) for outcome in (SpeedOutcome.FASTER, SpeedOutcome.SLOWER))
    assert gate(Citation("KO101"), before, worse, verdict(), faster) == Improvement("global sectors 32 → 256")
    told = "global sectors 32 → 256, but it was measured SLOWER (1.02x)"
    assert gate(Citation("KO101"), before, worse, verdict(), slower) == NoImprovement(TrialOutcome.NOT_BETTER, told)


def test_a_prediction_that_proves_nothing_says_what_is_in_doubt(assessed, access, verdict, predicted) -> None:
    """Nothing was measured, and a faster version would change nothing."""
    doubted = replace(predicted(1.56), outcome=SpeedOutcome.INCONCLUSIVE, bottleneck_before="dram", caveats=("the host may do part",))
    kernels = _stores(assessed, access, 32)
    refused = gate(Citation(""), kernels, (), verdict(), doubted)
    told = "other kernels take the place of this one, but the predicted 1.56x is no proof of a gain: the host may do part"
    assert refused == NoImprovement(TrialOutcome.NOT_BETTER, told)


@pytest.mark.parametrize(
    ("code", "words"),
    [("KO999", "no counter answers this finding"), ("", "its plan cites no finding, so that its time alone counts")],
)
def test_a_step_whose_finding_no_counter_answers_is_kept_for_its_time(assessed, verdict, predicted, code, words) -> None:
    kernels = assessed()
    assert gate(Citation(code), kernels, kernels, verdict(), predicted(1.5)) == Improvement(words)
    assert isinstance(gate(Citation(code), kernels, kernels, verdict(), predicted(1.0)), NoImprovement)


@pytest.mark.parametrize(("low", "before", "after", "is_kept"), [
    (None, 16, 32, True), (None, 32, 32, False), (None, 32, 16, False), (1.2, 32, 32, True), (1.2, 32, 16, False),
])  # fmt: skip
def test_of_occupancy_more_is_better(assessed, verdict, predicted, low, before, after, is_kept) -> None:
    judged = gate(Citation("KO105"), assessed(warps=before), assessed(warps=after), verdict(), predicted(1.5, low=low))
    assert isinstance(judged, Improvement) == is_kept


def test_of_lanes_that_go_different_ways_what_warps_issue_counts(assessed, verdict, predicted) -> None:
    """More work of threads in fewer turns of warps is what such a finding asks for."""
    parted, together, slower = (_issued(assessed, *mix) for mix in ((3_200, 900), (6_400, 300), (1_600, 901)))
    assert gate(Citation("KO109"), parted, together, verdict(), predicted(1.5)) == Improvement("warp instructions 900 → 300")
    assert isinstance(gate(Citation("KO109"), parted, slower, verdict(), predicted(1.5)), NoImprovement)
    no_code = assessed()
    assert isinstance(gate(Citation("KO109"), no_code, no_code, verdict(), predicted(1.5)), Improvement)


def _issued(assessed, of_threads, of_warps):
    (kernel,) = assessed(mixes=((7, InstructionMix(integer=of_threads)),))
    (launch,) = kernel.launches
    lines = tuple(replace(line, warp_mix=InstructionMix(integer=of_warps)) for line in launch.profile.instructions)
    return (replace(kernel, launches=(replace(launch, profile=replace(launch.profile, instructions=lines)),)),)


def test_a_block_of_one_thread_leaves_most_of_its_warp_idle(assessed, verdict, predicted) -> None:
    """As many warps of a multiprocessor are resident before and after; that they are full is what the edit is about."""
    one, many = assessed(warps=32, threads=1), assessed(warps=32, threads=1024)
    assert gate(Citation("KO112"), one, many, verdict(), predicted(50.0)) == Improvement("lanes in use on an SM 1.56 → 50 %")
    assert isinstance(gate(Citation("KO112"), many, many, verdict(), predicted(50.0)), NoImprovement)


def test_once_the_models_error_is_known_the_lower_bound_decides(assessed, access, verdict, predicted) -> None:
    before, after = _stores(assessed, access, 256), _stores(assessed, access, 256)
    assert isinstance(gate(Citation("KO101"), before, after, verdict(), predicted(1.5, low=1.2)), Improvement)
    assert isinstance(gate(Citation("KO101"), before, after, verdict(), predicted(1.5, low=1.0)), NoImprovement)
    assert isinstance(gate(Citation("KO101"), before, after, verdict(), predicted(1.009, low=1.005)), NoImprovement)
    worse = _stores(assessed, access, 300)
    assert isinstance(gate(Citation("KO101"), before, worse, verdict(), predicted(1.5, low=1.2)), NoImprovement)


def test_an_edit_for_a_human_to_decide_passes_the_gate(assessed, access, verdict, predicted) -> None:
    undecided = verdict(Outcome.NEEDS_DECISION)
    assert isinstance(
        gate(Citation("KO101"), _stores(assessed, access, 256), _stores(assessed, access, 32), undecided, predicted(1.5)), Improvement
    )


def test_of_measured_words_only_faster_proves_a_gain(predicted) -> None:
    for outcome in SpeedOutcome:
        is_better = is_proved_better(replace(predicted(1.5), outcome=outcome))
        assert is_better == (outcome in (SpeedOutcome.FASTER, SpeedOutcome.PREDICTED))


def test_a_metric_is_summed_over_lines_and_weighed_by_launches(assessed, access) -> None:
    kernels = assessed(access("global load", 7, 8, 64), access("global store", 9, 8, 32), count=3.0)
    assert metric_value("KO101", kernels) == 3 * (64 + 32)


def test_sampled_counters_already_stand_for_the_grid(assessed, access) -> None:
    whole, sampled = (_stores(assessed, access, 256, blocks=64, blocks_counted=n) for n in (64, 8))
    assert metric_value("KO101", sampled) == metric_value("KO101", whole)


def test_each_finding_watches_its_own_metric(assessed, access) -> None:
    mix = InstructionMix(fp64=5, conversion=7, integer=11, control=13)
    kernels = assessed(access("shared load", 7, 8, 256), mixes=((7, mix),), blocks=6, warps=16)
    values = {code: metric_value(code, kernels) for code in ("KO103", "KO105", "KO106", "KO111", "KO114")}
    assert values == {"KO103": 256, "KO105": 0.25, "KO106": 12, "KO111": 6, "KO114": 24}


def test_more_is_better_for_occupancy_and_blocks_alone() -> None:
    watches = {rule.code: watched(rule.code) for rule in RULES}
    assert [code for code, metric in watches.items() if metric is None] == []
    better = {code for code, metric in watches.items() if metric is not None and metric.is_higher_better}
    assert better == {"KO105", "KO111", "KO112"}
    assert watched("KO999") is None


def test_a_models_step_may_gain_otherwise_than_its_finding_suggests(assessed, access, verdict, predicted) -> None:
    same = _stores(assessed, access, 256)
    model = Citation("KO101", must_improve=False)
    assert gate(model, same, same, verdict(), predicted(13.9)) == Improvement("global sectors 256 → 256")
    assert isinstance(gate(model, same, same, verdict(), predicted(1.0)), NoImprovement)
