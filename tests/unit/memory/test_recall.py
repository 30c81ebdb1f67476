"""What memory says about a technique for a state: estimate, chance, people, and the sentences."""

from __future__ import annotations

import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assistant.memory.devices import device_likeness
from assistant.memory.experience import Judgement
from assistant.memory.experience_rows import Known
from assistant.memory.recall import recall
from assistant.model.experience import Choice, DeviceTraits, KernelTraits, Origin, TechniqueEvidence, TechniqueUse
from assistant.model.proposal import DecisionKind
from assistant.profile import DIMENSIONS
from tests.unit.memory.experiences import (
    ELSEWHERE,
    H200,
    KERNEL,
    NOW,
    PREDICTED,
    TECHNIQUE,
    judgement,
    ms,
    query,
    row,
    signature,
    state,
)

OTHER_GPUS = {"NVIDIA H100": "sm_90", "NVIDIA A100": "sm_80", "NVIDIA L40S": "sm_89", "NVIDIA B200": "sm_100", "NVIDIA B300": "sm_103"}
OTHER_KIND = state(signature=signature("fp32", **dict.fromkeys(DIMENSIONS, 0.0)))


def one(rows: tuple[Known, ...] = (), judgements: tuple[Judgement, ...] = (), **changes: Any) -> TechniqueEvidence:
    (found,) = recall(query(**changes), rows, judgements)
    assert found.technique == TECHNIQUE
    return found


def test_nothing_known_says_nothing() -> None:
    assert recall(query(), (), ()) == ()


def test_the_evidence_is_one_sentence_with_counts_median_interval_and_method() -> None:
    ratios = (2.2, 2.8, 3.0, 3.2, 3.6, 4.0)
    found = one(tuple(row(ratio, number) for number, ratio in enumerate(ratios)))
    assert found.summary == (
        "on 6 similar kernels (memory-bound row reductions, sm_90) warp-per-row was right 6 of 6, median 3.1x [2.2, 4.0], measured"
    )
    assert found.log_ratio == pytest.approx(sum(map(math.log, ratios)) / 6)


def test_the_scale_of_a_row_is_read_whatever_its_numbers_are_called() -> None:
    scale = (("threads", 64), ("blocks", 2))
    use = TechniqueUse(TECHNIQUE, (('"scale": ', 1), ("\\", 2)))
    found = row(state=state(traits=KernelTraits("row reduction", "float", scale)), use=use)
    assert found.scale == {"threads": 64, "blocks": 2}


def test_what_parts_losses_from_gains_is_named_where_two_of_each_agree() -> None:
    def at(threads: int, ratio: float, number: int) -> Known:
        return row(ratio, number, state=state(traits=KernelTraits("row reduction", "float", (("threads", threads),))))

    lost, won = (at(32, 0.8, 1), at(64, 0.9, 2)), (at(4096, 3.0, 3), at(8192, 2.0, 4))
    assert one((*lost, *won)).summary.endswith("; loses when threads <= 64")
    assert "loses" not in one((lost[0], *won)).summary, "one case is no rule"
    assert "loses" not in one((*lost, *won, at(16, 2.0, 5))).summary, "a contradicted rule is none"


def test_failures_lower_the_chance_and_are_counted() -> None:
    found = one((row(None, 1), row(None, 2), row(2.0, 3)))
    assert found.chance == pytest.approx((2 + _weight()) / (2 + 3 * _weight()))
    assert "was right 1 of 3" in found.summary


def _weight() -> float:
    return 0.5 ** (10 / 180)


def test_a_prediction_counts_less_than_a_measurement_and_is_not_called_one() -> None:
    predicted, measured = one((row(2.0, state=state(device=PREDICTED)),)), one((row(2.0),))
    assert 0 < predicted.precision < measured.precision
    assert predicted.summary.endswith("2.0x, predicted; times on cpu, predicted for h200 count 0.50 here")
    assert measured.summary.endswith("measured"), "what was timed on this very device counts in full"
    both = one((row(3.0, 1), row(2.0, 2, state=state(device=PREDICTED))))
    assert "3.0x [2.9, 3.1], measured, median 2.0x, predicted".replace("median 2.0x", "2.0x") in both.summary


def test_repeating_one_trial_is_no_new_experience() -> None:
    once, often = one((row(2.0),)), one(tuple(row(2.0) for _ in range(50)))
    assert once.precision == often.precision


def test_many_trials_on_one_kernel_count_as_one_kernel() -> None:
    many = tuple(row(9.0, 1, id=f"C{n}", same=f"s{n}") for n in range(50))
    flooded = one((*many, row(1.1, 2), row(1.1, 3)))
    assert flooded.log_ratio == pytest.approx((math.log(9) + 2 * math.log(1.1)) / 3)
    assert "on 3 similar kernels" in flooded.summary


def test_unlike_kernels_together_are_worth_half_a_similar_one() -> None:
    far = tuple(row(3.0, number, state=OTHER_KIND) for number in range(40))
    borrowed, similar = one(far), one((row(3.0),))
    assert borrowed.precision == pytest.approx(similar.precision / 2, rel=0.1)
    assert borrowed.summary.endswith("; none was like this one")


def test_another_device_counts_by_its_likeness_and_that_is_said() -> None:
    same = one((row(2.0),)).precision
    found = {name: one((row(2.0, state=state(device=DeviceTraits(name, sm, is_measured=True))),)) for name, sm in OTHER_GPUS.items()}
    weights = {name: evidence.precision / same for name, evidence in found.items()}
    assert 1 > weights["NVIDIA H100"] > weights["NVIDIA A100"] > weights["NVIDIA L40S"] >= 0.2, "by what each is short of"
    assert weights["NVIDIA H100"] > weights["NVIDIA B200"] > weights["NVIDIA L40S"]
    assert weights["NVIDIA B300"] == pytest.approx(0.5), "of an unknown one by its architecture"
    for name, evidence in found.items():
        assert evidence.log_ratio == pytest.approx(math.log(2)), "a weight, never another gain"
        assert evidence.summary.endswith(f"; times on {name} count {weights[name]:.2f} here")
    assert "sm_80" in found["NVIDIA A100"].summary
    assert {evidence.chance for evidence in found.values()} == {one((row(2.0),)).chance}, "whether it was right is the same everywhere"


@pytest.mark.parametrize(
    ("asked", "name", "architecture", "weight"),
    [
        (H200, "NVIDIA H200", "sm_90", 1.0),
        (H200, "cpu, predicted for h200", "sm_90", 0.5),
        (PREDICTED, "NVIDIA H200", "sm_90", 0.5),
        (H200, "NVIDIA GH200 480GB", "sm_90", 0.8),
        (H200, "some GPU", "", 0.5),
        (H200, "cpu, predicted for nothing", "sm_90", 0.4),
    ],
)
def test_method_and_architecture_weigh_where_peaks_do_not_say_more(
    asked: DeviceTraits, name: str, architecture: str, weight: float
) -> None:
    assert device_likeness(asked, name, architecture) == pytest.approx(weight)


def test_predictions_for_other_targets_are_weighed_as_the_targets_are_alike() -> None:
    measured = device_likeness(H200, "NVIDIA A100", "sm_80")
    assert device_likeness(PREDICTED, "cpu, predicted for a100", "sm_80") == pytest.approx(measured)
    assert device_likeness(H200, "cpu, predicted for a100", "sm_80") == pytest.approx(measured / 2)


def test_another_family_or_element_is_less_alike() -> None:
    stencil = one((row(2.0, state=state(traits=KernelTraits("stencil", "double"))),))
    assert 0 < stencil.precision < one((row(2.0),)).precision
    assert "stencils" in stencil.summary


def test_old_experience_fades_and_the_future_is_today() -> None:
    fresh, old = (one((row(2.0, created_ms=ms(day)),)).precision for day in ("2026-11-19", "2024-11-19"))
    assert 0 < old < fresh
    assert one((row(2.0, created_ms=ms("2027-01-01")),)).precision == one((row(2.0, created_ms=NOW),)).precision


def test_other_workspaces_give_statistics_but_neither_reasons_nor_names() -> None:
    rejected = judgement(DecisionKind.REJECTED, workspace=ELSEWHERE, kernel="secret_kernel()", reason="secret reason")
    found = one((row(2.0, workspace=ELSEWHERE, kernel="secret_kernel()"),), (rejected,))
    assert found.precision == one((row(2.0),)).precision
    assert found.nearest == ""
    assert found.sentences == (
        "accepted 0 and rejected or undone 1 times in other workspaces, on memory-bound kernels",
        "on 1 similar kernel (memory-bound row reductions, sm_90) warp-per-row was right 1 of 1, 2.0x [1.9, 2.1], measured",
    )


def test_names_and_reasons_of_other_workspaces_are_shown_where_enabled() -> None:
    rejected = judgement(DecisionKind.REJECTED, workspace=ELSEWHERE, reason_code="portability")
    found = one((row(2.0, workspace=ELSEWHERE),), (rejected,), may_cross_workspaces=True)
    assert found.sentences[0] == "rejected in another workspace, for a kernel limited by dram, on 2026-11-02 (NVIDIA H200): portability"
    assert "worked in another workspace, for kernel1, limited by dram," in found.sentences[2]


def test_what_happened_on_this_kernel_is_told_with_day_device_and_method() -> None:
    found = one((row(2.0, kernel=KERNEL),))
    assert found.sentences[1] == "worked here on 2026-11-10: time ratio 2.00x, 1.92 to 2.08 (NVIDIA H200; events)"
    assert one((row(None, kernel=KERNEL),)).sentences[1] == "did not build or was wrong here on 2026-11-10 (NVIDIA H200)"
    assert one((row(0.7, kernel=KERNEL),)).sentences[1].startswith("was not faster here on 2026-11-10: time ratio 0.70x")


def test_a_rejection_here_is_quoted_first_with_its_reason() -> None:
    found = one((row(2.0),), (judgement(DecisionKind.REJECTED, reason_code="style", reason="too clever"),))
    assert found.people < -0.6
    assert found.sentences[0] == 'rejected here on 2026-11-02 (NVIDIA H200): style ("too clever")'


def test_why_a_part_was_left_out_is_said() -> None:
    found = one(judgements=(judgement(DecisionKind.PARTIALLY_ACCEPTED, reason_code="precision", reason="hunk 1: a long sum"),))
    assert found.sentences == ('accepted in part here on 2026-11-02 (NVIDIA H200), the rest left out: precision ("hunk 1: a long sum")',)


def test_a_rejection_on_another_kernel_weighs_less_and_one_here_holds_whatever_the_signature() -> None:
    here, there = (one(judgements=(judgement(DecisionKind.REJECTED, kernel=kernel),)).people for kernel in (KERNEL, "reduce()"))
    assert here < there < 0
    assert one(judgements=(judgement(DecisionKind.REJECTED, signature=OTHER_KIND.signature),)).people == here


def test_techniques_of_one_proposal_share_its_rejection() -> None:
    both = recall(query(), (), (judgement(DecisionKind.REJECTED, techniques=(TECHNIQUE, "loop-unrolling")),))
    assert [found.people for found in both] == [pytest.approx(one(judgements=(judgement(DecisionKind.REJECTED),)).people / 2)] * 2


def test_imports_count_half_and_never_more_than_one_kernel_of_ones_own() -> None:
    def imported(number: int) -> Known:
        return row(9.0, number, origin=Origin.IMPORT, workspace=None, kernel="")

    single, own = one((imported(1),)), one((row(9.0, 1),))
    assert single.precision == pytest.approx(own.precision / 2)
    flood = one(tuple(imported(number) for number in range(1_000)))
    assert flood.precision <= own.precision * 1.05
    assert flood.summary.endswith("; 1000 of them imported")
    assert flood.sentences == (flood.summary,)


def test_a_job_does_not_quote_itself() -> None:
    own = row(2.0, job="J1")
    assert recall(query(job="J1"), (own,), ()) == ()
    assert recall(query(job="J2"), (own,), ()) == recall(query(), (own,), ()) != ()


def test_the_best_comes_first_whatever_it_is_called() -> None:
    invented = row(4.0, 2, use=TechniqueUse("lane-split"))
    assert [found.technique for found in recall(query(), (row(1.2), invented), ())] == ["lane-split", TECHNIQUE]


def test_draws_depend_on_seed_and_version_alone() -> None:
    def drawn(seed: int, key: str) -> tuple[float, float]:
        found = one((row(2.0), row(None, 2)), choice=Choice("thompson", seed, key))
        return found.gain_draw, found.chance_draw

    assert drawn(0, "a") == drawn(0, "a") != drawn(1, "a") != drawn(1, "b")
    assert one((row(2.0),)).gain_draw == 0.0, "greedy draws nothing"


ROWS = st.lists(
    st.builds(
        row,
        st.none() | st.floats(1e-3, 1e3),
        st.integers(0, 5),
        created_ms=st.integers(0, NOW * 2),
        workspace=st.sampled_from((ELSEWHERE, None)),
        state=st.sampled_from((OTHER_KIND, state(), state(device=PREDICTED))),
        same=st.text(max_size=2),
    ),
    max_size=30,
)
JUDGEMENTS = st.lists(st.builds(judgement, st.sampled_from(DecisionKind)), max_size=30)


@given(ROWS, JUDGEMENTS, st.integers(0, 9))
def test_whatever_is_remembered_the_answer_is_finite_and_bounded(rows: list[Known], judgements: list[Judgement], seed: int) -> None:
    for found in recall(query(choice=Choice("thompson", seed)), rows, judgements):
        assert math.isfinite(found.log_ratio) and 0 <= found.precision < 1e3
        assert 0 < found.chance <= 1 and 0 <= found.chance_draw <= 1
        assert abs(found.people) <= 1.4
        assert len(found.sentences) <= 5
