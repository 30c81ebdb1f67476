"""What is offered on a text."""

from __future__ import annotations

from pathlib import Path

from assistant.editor.open_document import OpenDocument
from assistant.model.comparison import Comparison, SpeedOutcome
from assistant.model.profile import Signature
from assistant.model.proposal import Proposal, ProposalState
from assistant.model.verification import Outcome, Verification

FILE = Path("/w/k.cu")
BEFORE = "__global__ void k(float *x) { x[0] = 1.0f; }\n"
AFTER = BEFORE.replace("1.0f", "2.0f")

UNDONE_ELSEWHERE = Proposal(
    id="P0000000001",
    job="J1",
    path=FILE,
    kernel="k(float *)",
    techniques=("t",),
    summary="",
    before_text=BEFORE,
    after_text=AFTER,
    hunks=(),
    labels=(),
    assumptions=(),
    verification=Verification(Outcome.PASS, (), (), (), "kernel", (), ()),
    comparison=Comparison(SpeedOutcome.PREDICTED, 2.0, None, None, None, "model error 1.28x median", (), "model"),
    evidence=(),
    predictions=(),
    explanation="",
    signature=Signature("dram", ()),
    state=ProposalState.UNDONE,
    created_ms=1,
)


def test_a_change_that_stands_in_the_text_is_not_offered_again() -> None:
    document = OpenDocument("file:///w/k.cu", FILE, AFTER)
    document.offer((UNDONE_ELSEWHERE,))
    assert document.view.proposals == () and document.view.kernels[0].proposal is None
    assert not any(note.proposal for note in document.view.notes)

    document.text = BEFORE
    document.reparse()
    assert document.view.proposals == (UNDONE_ELSEWHERE,) and document.view.kernels[0].proposal == UNDONE_ELSEWHERE
