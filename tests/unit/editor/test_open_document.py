"""What is offered on a text, and which answers on it still count."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from assistant.editor.hover_words import kernel_hover
from assistant.editor.lens_row import kernel_row
from assistant.editor.open_document import OpenDocument
from assistant.editor.tasks import Task, Verb
from assistant.engine import answer_key, event_json
from assistant.engine.request import JobRequest
from assistant.model.comparison import Comparison, SpeedOutcome
from assistant.model.events import JobEnded, ProfileSummary
from assistant.model.profile import Signature
from assistant.model.proposal import Proposal, ProposalState
from assistant.model.source import Source
from assistant.model.verification import Outcome, Verification
from assistant.ports.store import StoredAnalysis
from tests.changes import change

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
    files=change(FILE, BEFORE, AFTER),
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


def test_an_edit_of_lines_that_were_rewritten_is_not_offered_until_they_are_back() -> None:
    document = OpenDocument("file:///w/k.cu", FILE, BEFORE)
    document.offer((UNDONE_ELSEWHERE,))
    for text, is_offered in ((BEFORE.replace("1.0f", "3.0f"), False), (BEFORE, True), (f"// typed\n{BEFORE}", True)):
        document.text = text
        document.reparse()
        assert (document.view.kernels[0].proposal is not None) is is_offered
        assert any(note.proposal for note in document.view.notes) is is_offered
    assert not document.view.kernels[0].is_offer_outdated


def test_a_gain_is_not_shown_of_a_kernel_that_was_edited_since() -> None:
    before = BEFORE.replace("{ x", "{\n  x").replace(" }", "\n  x[1] = 4.0f;\n}")
    offered = replace(UNDONE_ELSEWHERE, files=change(FILE, before, before.replace("1.0f", "2.0f")))
    document = OpenDocument("file:///w/k.cu", FILE, before.replace("4.0f", "5.0f"))
    document.offer((offered,))
    (kernel,) = document.view.kernels
    assert kernel.is_offer_outdated and kernel_row(kernel, document.view)[0].title == "judged before the edit"
    assert kernel_hover(kernel, document.view)[1].startswith("judged before the edit: ≈2.00x predicted")
    assert [note.message for note in document.view.notes if note.proposal] == ["judged before the edit: "]


def test_an_accepted_launch_leaves_the_numbers_of_other_kernels() -> None:
    before = BEFORE + BEFORE.replace(" k(", " other(") + "int main() {\n  k<<<1, 32>>>(0);\n  other<<<1, 32>>>(0);\n}\n"
    offered = replace(UNDONE_ELSEWHERE, files=change(FILE, before, before.replace("k<<<1, 32", "k<<<4, 64")))
    document = OpenDocument("file:///w/k.cu", FILE, before)
    task = Task(Verb.PROFILE, JobRequest(FILE, FILE.parent, texts=((FILE, before),)))
    keys = [kernel.key for kernel in document.view.kernels]
    for event in (*(ProfileSummary("J1", key, key, (1, 1, 1), (32, 1, 1), 0, 1, "l2", 1e-6) for key in keys), JobEnded("J1", 0, "")):
        document.collect("J1", task, event)
    document.text = offered.after[0].text
    document.decided(offered)
    rows = {kernel.name: kernel_row(kernel, document.view)[0].title for kernel in document.view.kernels}
    assert rows == {"k": "before the edit: ≈ L2-bound", "other": "≈ L2-bound"}


def test_spaces_and_comments_leave_an_offer_as_it_is() -> None:
    before = BEFORE.replace("{ x", "{\n  x").replace(" }", "\n  x[1] = 4.0f;\n}")
    offered = replace(UNDONE_ELSEWHERE, files=change(FILE, before, before.replace("1.0f", "2.0f")))
    spaced = (
        before.replace("4.0f;", "4.0f; "),
        before.replace("1.0f;", "1.0f; "),
        before.replace("1.0f;", "1.0f;  // the first"),
        before.replace("\n  x[1]", "\n\n  /* the\n     second */\n  x[1]"),
        f"/* on\n\n top */\n{before}\n",
    )
    for text in spaced:
        document = OpenDocument("file:///w/k.cu", FILE, text)
        document.offer((offered,))
        (kernel,) = document.view.kernels
        assert not kernel.is_offer_outdated and kernel_row(kernel, document.view)[0].title == "≈2.00x predicted", text


INSPECT = Task(Verb.INSPECT, JobRequest(FILE, FILE.parent, texts=((FILE, BEFORE),)))


def has_answer_after(document: OpenDocument, job: str) -> bool:
    document.collect(job, INSPECT, JobEnded(job, 1, "ended"))
    return document.has_answer("inspect")


def test_an_answer_that_began_before_a_header_changed_has_to_be_given_again() -> None:
    document = OpenDocument("file:///w/k.cu", FILE, BEFORE)
    document.begin("J1")
    document.outdate()
    assert not has_answer_after(document, "J1")
    document.begin("J2")
    assert has_answer_after(document, "J2")


def test_a_job_that_ended_without_an_answer_leaves_no_trace() -> None:
    document = OpenDocument("file:///w/k.cu", FILE, BEFORE)
    document.begin("J1")
    document.outdate()
    document.abandon("J1")
    assert has_answer_after(document, "J1")


def test_what_could_not_be_answered_before_is_tried_again() -> None:
    for exit_code, is_known in ((0, True), (1, True), (3, False)):
        document = OpenDocument("file:///w/k.cu", FILE, BEFORE)
        ended = StoredAnalysis("check", answer_key(Source(FILE, BEFORE).sha256, ""), (event_json(JobEnded("J1", exit_code, "")),))
        document.recall((ended,))
        assert document.has_answer("check") is is_known
