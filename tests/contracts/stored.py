"""Complete attempts, proposals and decisions as a store keeps them, varied by keyword."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

from assistant.model.attempt import Attempt
from assistant.model.comparison import CaseSpeed, Comparison, SpeedOutcome
from assistant.model.completion import (
    ChatMessage,
    Completion,
    CompletionRequest,
    ModelCall,
    ModelRole,
    Price,
    ReplySchema,
    ServedModel,
    Spending,
)
from assistant.model.pair import PairSession, Turn, TurnKind
from assistant.model.plan import MetricPrediction
from assistant.model.profile import Evidence, Method, Signature
from assistant.model.proposal import Decision, DecisionKind, PredictionOutcome, Proposal, ProposalState
from assistant.model.trial import TrialOutcome
from assistant.model.verification import Label, Outcome, Verification
from tests.changes import change

__all__ = ["CALL", "Given", "pair_session", "turn"]

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
            files=change(FILE, "tile[32][32];\n", "tile[32][33];\n"),
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
        return replace(proposal, **_of_path(changes))

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


_REQUEST = CompletionRequest(
    id="M1",
    role=ModelRole.CODER,
    prompt="code@1",
    messages=(ChatMessage("system", "You write CUDA."), ChatMessage("user", "the whole source of the kernel é\udc80")),
    max_output_tokens=100,
    reply=ReplySchema("code", "{}"),
    temperature=0.5,
    seed=3,
)
CALL = ModelCall(
    request=_REQUEST,
    job="J01",
    served=ServedModel(ModelRole.CODER, "openai", "http://localhost:1/v1", "small", Price(1.0, 2.0)),
    answer=Completion("the raw answer \U0001f600", "small-2", 10, 20),
    started_ms=5_000,
    duration_ms=7,
    spending=Spending(0.1, 10, 20, 1),
    is_counted_here=False,
)
"""A call of job ``J01``."""


def pair_session(session_id: str = "S01", **changes: Any) -> PairSession:
    made = PairSession(
        session_id,
        WORKSPACE,
        FILE,
        "transpose",
        "no bank conflicts",
        "__global__ void transpose() { /* 32 */ }\n",
        1_700_000_000_000,
        "lsp 12",
    )
    return replace(made, **changes)


def turn(number: int = 1, kind: TurnKind = TurnKind.START, name: str = "S01", **more: Any) -> Turn:
    return Turn(name, number, kind, "", f"turn {number}", 1_700_000_000_000 + number, "lsp 12", **more)


def _of_path(changes: dict[str, Any]) -> dict[str, Any]:
    """A proposal whose file is another one edits that."""
    if "path" not in changes or "files" in changes:
        return changes
    return changes | {"files": change(changes["path"], "tile[32][32];\n", "tile[32][33];\n")}
