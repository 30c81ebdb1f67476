"""The table of what was learnt."""

from __future__ import annotations

import json
import math
import statistics
from typing import Any

import pytest

from assistant.memory import MemoryStore
from assistant.memory.knowledge import as_json, as_text, derive
from assistant.model.comparison import Comparison, SpeedOutcome
from assistant.model.profile import Signature
from assistant.model.proposal import DecisionKind, ProposalState
from assistant.model.trial import TrialOutcome

OPEN = frozenset({ProposalState.OPEN})


def compared(outcome: SpeedOutcome, ratio: float) -> Comparison:
    return Comparison(outcome, ratio, None, None, None, "good", (), "events")


def test_a_store_without_attempts_gives_an_empty_table() -> None:
    assert derive((), ()) == ()
    assert as_text(()) == ""


def test_outcomes_are_counted_and_ratios_averaged_on_a_log_scale(store: MemoryStore, given: Any) -> None:
    results = (
        (TrialOutcome.KEPT, compared(SpeedOutcome.FASTER, 2.0)),
        (TrialOutcome.NOT_BETTER, compared(SpeedOutcome.SLOWER, 0.5)),
        (TrialOutcome.NOT_BETTER, compared(SpeedOutcome.INCONCLUSIVE, 9.0)),
        (TrialOutcome.KEPT, compared(SpeedOutcome.PREDICTED, 4.0)),
        (TrialOutcome.FAILED, None),
        (TrialOutcome.BUILD_FAILED, None),
    )
    for index, (outcome, comparison) in enumerate(results):
        store.add_attempt(given.attempt(f"C{index}", text=f"{index}", outcome=outcome, comparison=comparison))
    (row,) = store.knowledge()
    assert (row.tried_count, row.built_count, row.correct_count) == (6, 5, 4)
    assert (row.measured_count, row.faster_count, row.predicted_count, row.predicted_faster_count) == (3, 1, 1, 1)
    assert row.log_ratio_mean == pytest.approx(math.log(4) / 3)
    assert row.log_ratio_variance == pytest.approx(statistics.variance([math.log(2), -math.log(2), math.log(4)]))


def test_bottlenecks_and_devices_are_kept_apart(store: MemoryStore, given: Any) -> None:
    store.add_attempt(given.attempt("C1", text="1"))
    store.add_attempt(given.attempt("C2", text="2", before=Signature("dram", ())))
    store.add_attempt(given.attempt("C3", text="3", target="a100"))
    store.add_attempt(given.attempt("C4", text="4", lab="gpu:0", device="NVIDIA H200"))
    assert {(row.label, row.device_class) for row in store.knowledge()} == {
        ("shared", "cpu, predicted for h200"),
        ("dram", "cpu, predicted for h200"),
        ("shared", "cpu, predicted for a100"),
        ("shared", "NVIDIA H200"),
    }


def test_only_the_last_decision_on_a_proposal_counts(store: MemoryStore, given: Any) -> None:
    store.add_proposal(given.workspace, given.proposal())
    store.decide(given.decision(), OPEN)
    store.decide(given.decision(kind=DecisionKind.UNDONE), frozenset({ProposalState.ACCEPTED}))
    (row,) = store.knowledge()
    assert (row.accepted_count, row.rejected_count, row.device_class) == (0, 1, "unknown")
    assert row.log_ratio_mean is None


def test_it_reads_as_sentences_and_as_json(store: MemoryStore, given: Any) -> None:
    store.add_attempt(given.attempt())
    assert as_text(store.knowledge()) == (
        "shared-memory-padding on shared-bound kernels (cpu, predicted for h200): 1 tried, 1 built, 1 verified, 1 of 1 measured faster;"
        " typical time ratio 1.50x; people accepted 0, rejected 0\n"
    )
    (row,) = json.loads(as_json(store.knowledge()))
    assert row["technique"] == "shared-memory-padding"
    assert row["log_ratio_variance"] is None
