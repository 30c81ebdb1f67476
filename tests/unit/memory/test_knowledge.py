"""The table of what was learnt."""

from __future__ import annotations

import json
from typing import Any

import pytest

from assistant.memory import MemoryStore
from assistant.memory.knowledge import as_json, as_text, derive
from assistant.model.comparison import Comparison, SpeedOutcome
from assistant.model.experience import KernelTraits
from assistant.model.profile import Signature
from assistant.model.proposal import DecisionKind, ProposalState
from assistant.model.trial import TrialOutcome

OPEN = frozenset({ProposalState.OPEN})


def compared(outcome: SpeedOutcome, ratio: float) -> Comparison:
    return Comparison(outcome, ratio, None, None, None, "good", (), "events")


def test_a_store_without_attempts_gives_an_empty_table() -> None:
    assert derive((), ()) == ()
    assert as_text(()) == ""


def test_outcomes_are_counted_and_ratios_are_medians_over_kernels(store: MemoryStore, given: Any) -> None:
    results = (
        (TrialOutcome.KEPT, compared(SpeedOutcome.FASTER, 2.0)),
        (TrialOutcome.NOT_BETTER, compared(SpeedOutcome.SLOWER, 0.5)),
        (TrialOutcome.NOT_BETTER, compared(SpeedOutcome.INCONCLUSIVE, 9.0)),
        (TrialOutcome.KEPT, compared(SpeedOutcome.PREDICTED, 4.0)),
        (TrialOutcome.FAILED, None),
        (TrialOutcome.CANNOT_JUDGE, None),
    )
    for index, (outcome, comparison) in enumerate(results):
        store.add_attempt(given.attempt(f"C{index}", kernel=f"k{index}()", outcome=outcome, comparison=comparison))
    (row,) = store.learned.knowledge()
    assert (row.kernel_count, row.tried_count, row.right_count) == (5, 5, 4)
    assert (row.measured_count, row.predicted_count) == (2, 1)
    assert (row.median_ratio, row.low_ratio, row.high_ratio) == (pytest.approx(1.0), pytest.approx(0.5), pytest.approx(2.0))


def test_bottlenecks_and_devices_are_kept_apart(store: MemoryStore, given: Any) -> None:
    store.add_attempt(given.attempt("C1", text="1"))
    store.add_attempt(given.attempt("C2", text="2", before=Signature("dram", ())))
    store.add_attempt(given.attempt("C3", text="3", target="a100"))
    store.add_attempt(given.attempt("C4", text="4", lab="gpu:0", device="NVIDIA H200"))
    assert {(row.label, row.device_class) for row in store.learned.knowledge()} == {
        ("shared", "cpu, predicted for h200"),
        ("dram", "cpu, predicted for h200"),
        ("shared", "cpu, predicted for a100"),
        ("shared", "NVIDIA H200"),
    }


def test_only_the_last_decision_on_a_proposal_counts(store: MemoryStore, given: Any) -> None:
    store.add_proposal(given.workspace, given.proposal())
    store.decide(given.decision(), OPEN)
    store.decide(given.decision(kind=DecisionKind.UNDONE), frozenset({ProposalState.ACCEPTED}))
    (row,) = store.learned.knowledge()
    assert (row.accepted_count, row.rejected_count, row.device_class) == (0, 1, "unknown")
    assert row.median_ratio is None


def test_it_reads_as_a_table_and_as_json(store: MemoryStore, given: Any) -> None:
    traits = KernelTraits("transposition", "float")
    store.add_attempt(given.attempt("C1", traits=traits))
    store.add_attempt(given.attempt("C2", traits=traits, technique="staged-store", outcome=TrialOutcome.FAILED))
    assert as_text(store.learned.knowledge()) == (
        "shared-memory-bound transpositions of float (cpu, predicted for h200)\n"
        "  shared-memory-padding  1 kernel, right 1 of 1; median 1.50x, measured on 1\n"
        "  staged-store           1 kernel, right 0 of 1\n"
    )
    row = json.loads(as_json(store.learned.knowledge()))[0]
    assert (row["technique"], row["family"], row["low_ratio"]) == ("shared-memory-padding", "transposition", None)


def test_a_decision_counts_in_the_row_of_its_kernels_trials(store: MemoryStore, given: Any) -> None:
    store.add_attempt(given.attempt(traits=KernelTraits("transposition", "float")))
    store.add_proposal(given.workspace, given.proposal())
    store.decide(given.decision(), OPEN)
    (row,) = store.learned.knowledge()
    assert (row.family, row.accepted_count, row.rejected_count) == ("transposition", 1, 0)
