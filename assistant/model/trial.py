"""How the candidates of a search fare."""

from __future__ import annotations

from enum import StrEnum


class TrialOutcome(StrEnum):
    """How a candidate fared."""

    KEPT = "kept"
    """It may be built on and proposed."""
    NOT_BETTER = "not_better"
    FAILED = "failed"
    """It answers wrongly, or does not run to its end."""
    BUILD_FAILED = "build_failed"
    CANNOT_JUDGE = "cannot_judge"
    """It could not be judged: its workload, or the lab."""
    NEEDS_DECISION = "needs_decision"
    """In older records: it needs a person's decision."""
    NOT_BUNDLED = "not_bundled"
    """It is better, but needs a decision that the edits before it do not need."""
    INTERNAL_ERROR = "internal_error"
    """Times that contradict each other: a defect of ours, no verdict."""
    CONSTRAINED = "constrained"
    """It does not keep to what a person asked of all edits, or turned down before."""
    NOT_ALLOWED = "not_allowed"
    """Not tried, as editing host code was not allowed."""
    DUPLICATE = "duplicate"
    """The code of an earlier one, or the same machine code or counters."""
    UNWRITTEN = "unwritten"
    """Its planner made no edit of a step."""
    NOT_TRIED = "not_tried"
    """A limit of the search was reached before its turn came."""


OUTCOME_WORDS = {
    TrialOutcome.NOT_BETTER: "not faster",
    TrialOutcome.FAILED: "wrong",
    TrialOutcome.BUILD_FAILED: "does not compile",
    TrialOutcome.CANNOT_JUDGE: "could not be judged",
    TrialOutcome.NEEDS_DECISION: "needs a decision",
    TrialOutcome.NOT_BUNDLED: "left out, as it needs a decision of its own",
    TrialOutcome.INTERNAL_ERROR: "its times contradict each other",
    TrialOutcome.CONSTRAINED: "not what was asked for",
    TrialOutcome.NOT_ALLOWED: "edits code of the host, which was not allowed",
    TrialOutcome.DUPLICATE: "the same as another",
    TrialOutcome.UNWRITTEN: "no edit came of it",
    TrialOutcome.NOT_TRIED: "its turn did not come",
}
"""Why a candidate was not offered."""
