"""Values for memory tests: complete attempts and proposals, varied by keyword."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from assistant.memory import MemoryStore, open_store
from assistant.model.attempt import Attempt
from assistant.model.comparison import CaseSpeed, Comparison, SpeedOutcome
from assistant.model.plan import MetricPrediction
from assistant.model.profile import Evidence, Method, Signature
from assistant.model.proposal import Decision, DecisionKind, PredictionOutcome, Proposal, ProposalState
from assistant.model.source import Hunk
from assistant.model.trial import TrialOutcome
from assistant.model.verification import Label, Outcome, Verification

WORKSPACE = Path("/home/ada/project")
FILE = WORKSPACE / "transpose.cu"
SIGNATURE = Signature("shared", (("load_waste", 0.0), ("conflict_waste", 0.9)))


def _comparison(ratio: float = 1.5, outcome: SpeedOutcome = SpeedOutcome.FASTER) -> Comparison:
    return Comparison(
        outcome=outcome,
        ratio=ratio,
        low=ratio - 0.05,
        high=ratio + 0.05,
        margin=0.02,
        quality="good",
        cases=(CaseSpeed("n=1024", 1.0, ratio, ratio - 0.05, ratio + 0.05, outcome),),
        method="events",
        bottleneck_before="shared",
        bottleneck_after="dram",
    )


class Given:
    """Makers of values; each takes the fields that matter to the test."""

    workspace = WORKSPACE
    file = FILE
    signature = SIGNATURE

    @staticmethod
    def attempt(attempt_id: str = "C01", **changes: Any) -> Attempt:
        prediction = MetricPrediction("shared_wavefronts", 32.0, 1.0, "wavefronts")
        attempt = Attempt(
            id=attempt_id,
            job="J01",
            workspace=WORKSPACE,
            path=FILE,
            kernel="transpose(float *, const float *, int)",
            technique="shared-memory-padding",
            finding="KO103",
            line=12,
            planner="expert",
            parent_text="__global__ void transpose() { /* 32 */ }\n",
            text="__global__ void transpose() { /* 33 */ }\n",
            outcome=TrialOutcome.KEPT,
            reason="it removes the bank conflicts",
            verification=Outcome.PASS,
            comparison=_comparison(),
            predictions=(PredictionOutcome(prediction, 1.0, True),),
            before=SIGNATURE,
            after=Signature("dram", (("load_waste", 0.0), ("conflict_waste", 0.0))),
            lab="cpu",
            device="emulator",
            target="h200",
            created_ms=1_000,
        )
        return replace(attempt, **changes)

    @staticmethod
    def proposal(proposal_id: str = "P01", **changes: Any) -> Proposal:
        proposal = Proposal(
            id=proposal_id,
            job="J01",
            path=FILE,
            kernel="transpose(float *, const float *, int)",
            techniques=("shared-memory-padding",),
            summary="Pad the tile by one column.",
            before_text="tile[32][32];\n",
            after_text="tile[32][33];\n",
            hunks=(Hunk("abc123abc123", 1, ("tile[32][32];\n",), ("tile[32][33];\n",)),),
            labels=(Label.READABILITY,),
            assumptions=(),
            verification=Verification(Outcome.PASS, (), (), (), "kernel", (), ()),
            comparison=_comparison(),
            evidence=(Evidence("E1", "shared_wavefronts", 32.0, "wavefronts", 12, Method.EMULATOR, "emulator"),),
            predictions=(),
            explanation="The tile's rows share a bank.",
            signature=SIGNATURE,
            state=ProposalState.OPEN,
            created_ms=2_000,
        )
        return replace(proposal, **changes)

    @staticmethod
    def decision(proposal_id: str = "P01", kind: DecisionKind = DecisionKind.ACCEPTED, **changes: Any) -> Decision:
        decision = Decision(
            proposal=proposal_id,
            kind=kind,
            hunk_ids=(),
            reason_code=None,
            reason=None,
            decided_ms=3_000,
            decided_by="cli 42",
            text_sha256=None,
        )
        return replace(decision, **changes)


@pytest.fixture
def given() -> type[Given]:
    return Given


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "data" / "memory.sqlite3"


@pytest.fixture
def store(path: Path) -> Iterator[MemoryStore]:
    with open_store(path) as opened:
        yield opened
