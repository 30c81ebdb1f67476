"""What memory says about a technique, and how that moves its rank."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assistant.memory.experience import Judgement, PastTrial
from assistant.memory.recall import RANK_CEILING, RANK_FLOOR, recall
from assistant.model.attempt import RecallQuery, TechniqueHistory
from assistant.model.comparison import Comparison, SpeedOutcome
from assistant.model.profile import Signature
from assistant.model.proposal import DecisionKind
from assistant.model.trial import TrialOutcome

HERE = Path("/home/ada/project")
ELSEWHERE = Path("/home/ada/other")
KERNEL = "transpose(float *)"
SIGNATURE = Signature("shared", (("load_waste", 0.1), ("conflict_waste", 0.9)))
UNLIKE = Signature("fp32", (("load_waste", 1.0), ("conflict_waste", 0.0)))
TECHNIQUE = "shared-memory-padding"


def ms(day: str) -> int:
    return int(datetime.fromisoformat(day).replace(tzinfo=UTC).timestamp() * 1000)


NOW = ms("2026-11-20")


def query(**changes: Any) -> RecallQuery:
    values: dict[str, Any] = {
        "workspace": HERE,
        "kernel": KERNEL,
        "signature": SIGNATURE,
        "techniques": (TECHNIQUE, "vectorized-access"),
        "now_ms": NOW,
    }
    return RecallQuery(**(values | changes))


PREDICTION_ERROR = "model error 1.28x median, over 25 candidates"


def compared(outcome: SpeedOutcome, ratio: float, spread: float | None = 0.03) -> Comparison:
    low, high = (None, None) if spread is None else (ratio * (1 - spread), ratio * (1 + spread))
    quality = PREDICTION_ERROR if outcome is SpeedOutcome.PREDICTED else "good"
    return Comparison(outcome, ratio, low, high, 0.02, quality, (), "events")


def trial(comparison: Comparison | None, **changes: Any) -> PastTrial:
    values: dict[str, Any] = {
        "technique": TECHNIQUE,
        "workspace": HERE,
        "kernel": KERNEL,
        "signature": SIGNATURE,
        "outcome": TrialOutcome.KEPT,
        "reason": "",
        "comparison": comparison,
        "device_class": "NVIDIA H200",
        "created_ms": ms("2026-11-10"),
    }
    return PastTrial(**(values | changes))


def judgement(kind: DecisionKind, **changes: Any) -> Judgement:
    values: dict[str, Any] = {
        "techniques": (TECHNIQUE,),
        "workspace": HERE,
        "kernel": KERNEL,
        "signature": SIGNATURE,
        "kind": kind,
        "reason_code": None,
        "reason": None,
        "device_class": "NVIDIA H200",
        "decided_ms": ms("2026-11-02"),
    }
    return Judgement(**(values | changes))


def one(trials: tuple[PastTrial, ...] = (), judgements: tuple[Judgement, ...] = (), **changes: Any) -> TechniqueHistory:
    (found,) = recall(query(**changes), trials, judgements)
    assert found.technique == TECHNIQUE
    return found


FASTER = compared(SpeedOutcome.FASTER, 1.5)
PREDICTED = compared(SpeedOutcome.PREDICTED, 1.5, None)


def test_nothing_known_says_nothing() -> None:
    assert recall(query(), (), ()) == ()


def test_a_rejection_here_lowers_the_rank_and_is_cited_with_date_and_reason() -> None:
    found = one(judgements=(judgement(DecisionKind.REJECTED, reason_code="readability"),))
    assert found.rank_factor < 0.6
    assert found.sentences == ("rejected here on 2026-11-02 (NVIDIA H200): readability",)


def test_the_persons_own_words_are_quoted() -> None:
    found = one(judgements=(judgement(DecisionKind.REJECTED, reason_code="style", reason="too clever"),))
    assert found.sentences == ('rejected here on 2026-11-02 (NVIDIA H200): style ("too clever")',)


def test_why_a_part_was_left_out_is_said() -> None:
    found = one(judgements=(judgement(DecisionKind.PARTIALLY_ACCEPTED, reason_code="precision", reason="hunk 1: a long sum"),))
    assert found.sentences == ('accepted in part here on 2026-11-02 (NVIDIA H200), the rest left out: precision ("hunk 1: a long sum")',)


def test_what_worked_raises_the_rank_and_is_cited_with_unit_device_and_method() -> None:
    found = one((trial(FASTER),))
    assert found.rank_factor > 1.1
    assert found.sentences == ("worked here on 2026-11-10: time ratio 1.50x, 1.46 to 1.54 (NVIDIA H200; events)",)


def test_a_prediction_counts_less_than_a_measurement() -> None:
    predicted, measured = one((trial(PREDICTED),)), one((trial(FASTER),))
    assert 1 < predicted.rank_factor < measured.rank_factor
    assert PREDICTION_ERROR in predicted.sentences[0]


def test_an_inconclusive_trial_does_not_move_the_rank() -> None:
    found = one((trial(compared(SpeedOutcome.INCONCLUSIVE, 3.0)),))
    assert found.rank_factor == pytest.approx(1.0)
    assert found.sentences == ()


def test_a_wide_interval_counts_less_than_a_narrow_one() -> None:
    wide, narrow = (one((trial(compared(SpeedOutcome.FASTER, 1.5, spread)),)).rank_factor for spread in (0.6, 0.01))
    assert wide < narrow


def test_slower_lowers_the_rank() -> None:
    found = one((trial(compared(SpeedOutcome.SLOWER, 0.7), outcome=TrialOutcome.NOT_BETTER),))
    assert found.rank_factor < 1
    assert found.sentences[0].startswith("was SLOWER here on 2026-11-10")


def test_failures_lower_the_rank() -> None:
    failures = tuple(trial(None, outcome=TrialOutcome.FAILED) for _ in range(3))
    assert one(failures).rank_factor == pytest.approx(2 / 5, rel=0.05)
    assert one(failures).sentences == ("failed verification here on 2026-11-10 (NVIDIA H200)",)


def test_old_memories_fade() -> None:
    fresh, old = (one((trial(FASTER, created_ms=ms(day)),)).rank_factor for day in ("2026-11-19", "2024-11-19"))
    assert 1 < old < fresh


def test_a_memory_from_the_future_is_as_fresh_as_today() -> None:
    assert one((trial(FASTER, created_ms=ms("2027-01-01")),)).rank_factor == one((trial(FASTER, created_ms=NOW),)).rank_factor


def test_a_rejection_on_another_kernel_weighs_less_and_names_it() -> None:
    here = one(judgements=(judgement(DecisionKind.REJECTED),))
    there = one(judgements=(judgement(DecisionKind.REJECTED, kernel="reduce(float *)"),))
    assert here.rank_factor < there.rank_factor < 1
    assert there.sentences == ("rejected for reduce, limited by shared, on 2026-11-02 (NVIDIA H200)",)


def test_a_kernel_of_another_kind_says_nothing() -> None:
    assert recall(query(), (trial(FASTER, kernel="sgemm()", signature=UNLIKE),), ()) == ()


def test_a_rejection_on_this_kernel_holds_whatever_its_signature_became() -> None:
    assert one(judgements=(judgement(DecisionKind.REJECTED, signature=UNLIKE),)).rank_factor < 0.6


def test_other_workspaces_give_statistics_but_neither_reasons_nor_names() -> None:
    found = one(
        (trial(FASTER, workspace=ELSEWHERE, kernel="secret_kernel()"),),
        (judgement(DecisionKind.REJECTED, workspace=ELSEWHERE, kernel="secret_kernel()", reason="secret reason"),),
    )
    assert found.sentences == (
        "accepted 0 and rejected or undone 1 times in other workspaces, on kernels like this one (limited by shared; NVIDIA H200)",
        "in other workspaces, on kernels like this one (limited by shared; NVIDIA H200): 1 tried, 1 verified, 1 of 1 measured faster",
    )


def test_what_was_not_timed_is_not_called_slow() -> None:
    ratios = (3.2, 1.4, 1.004)
    found = one(tuple(trial(compared(SpeedOutcome.PREDICTED, ratio, None), workspace=ELSEWHERE) for ratio in ratios))
    counts = "3 tried, 3 verified, 2 of 3 predicted faster, none measured"
    assert found.sentences == (f"in other workspaces, on kernels like this one (limited by shared; NVIDIA H200): {counts}",)


def test_reasons_of_other_workspaces_are_shown_where_enabled() -> None:
    rejected = judgement(DecisionKind.REJECTED, workspace=ELSEWHERE, reason_code="portability")
    found = one(judgements=(rejected,), may_cross_workspaces=True)
    assert found.sentences == ("rejected in another workspace, for a kernel limited by shared, on 2026-11-02 (NVIDIA H200): portability",)


def test_techniques_of_the_same_chain_share_its_rejection() -> None:
    alone = one(judgements=(judgement(DecisionKind.REJECTED),))
    chained = one(judgements=(judgement(DecisionKind.REJECTED, techniques=(TECHNIQUE, "loop-unrolling")),))
    assert alone.rank_factor < chained.rank_factor < 1


def test_at_most_four_sentences_are_said_the_weightiest_first() -> None:
    many = tuple(trial(FASTER, created_ms=ms(f"2026-0{month}-01")) for month in range(1, 9))
    found = one(many, (judgement(DecisionKind.REJECTED),))
    assert len(found.sentences) == 4
    assert found.sentences[0] == "rejected here on 2026-11-02 (NVIDIA H200)"


TRIALS = st.lists(
    st.builds(
        trial,
        st.none()
        | st.builds(
            compared,
            st.sampled_from(SpeedOutcome),
            st.floats(1e-3, 1e3),
            st.none() | st.floats(0, 0.99),
        ),
        outcome=st.sampled_from(
            (
                TrialOutcome.KEPT,
                TrialOutcome.BUILD_FAILED,
                TrialOutcome.FAILED,
                TrialOutcome.NEEDS_DECISION,
                TrialOutcome.NOT_BETTER,
                TrialOutcome.CANNOT_JUDGE,
            )
        ),
        created_ms=st.integers(0, NOW * 2),
        workspace=st.sampled_from((HERE, ELSEWHERE)),
    ),
    max_size=30,
)
JUDGEMENTS = st.lists(st.builds(judgement, st.sampled_from(DecisionKind)), max_size=30)


@given(TRIALS, JUDGEMENTS)
def test_memory_orders_but_never_forbids(trials: list[PastTrial], judgements: list[Judgement]) -> None:
    for found in recall(query(), trials, judgements):
        assert RANK_FLOOR <= found.rank_factor <= RANK_CEILING


def test_a_job_does_not_quote_itself() -> None:
    own = trial(compared(SpeedOutcome.FASTER, 1.5), job="J1")
    assert recall(query(job="J1"), (own,), ()) == ()
    assert recall(query(job="J2"), (own,), ()) == recall(query(), (own,), ()) != ()
