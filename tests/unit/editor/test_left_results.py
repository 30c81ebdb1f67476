"""An accepted edit takes the results of the text before it with it; what came back, or was profiled anew, shows its own."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any, cast

from assistant.config import Settings, TrustStore
from assistant.editor.guard import Guard
from assistant.editor.lanes import Lane
from assistant.editor.open_document import OpenDocument
from assistant.editor.open_documents import OpenDocuments
from assistant.editor.parts import EditorParts
from assistant.editor.session import EditorSession
from assistant.editor.staging import Trigger
from assistant.editor.tasks import Task, Verb
from assistant.engine import answer_key, event_json
from assistant.engine.request import JobRequest
from assistant.memory.store import open_store
from assistant.model.events import JobEnded
from assistant.model.proposal import Proposal, ProposalState
from assistant.model.source import Source
from assistant.ports.store import StoredAnalysis
from tests.changes import change
from tests.unit.editor.test_many_sources import Host, Listener
from tests.unit.editor.test_open_document import UNDONE_ELSEWHERE
from tests.unit.editor.test_picture import finding_of, line_of, profile_of

_PATH = Path("/w/tile.cu")
_KEY = "k(float *)"
_BEFORE = """__global__ void k(float *a) {
  __shared__ float tile[32][32];
  tile[threadIdx.x][0] = a[threadIdx.x];
  a[threadIdx.x] = tile[0][threadIdx.x];
}
__global__ void other(float *b) {
  b[threadIdx.x] = 1;
}
"""
_AFTER = _BEFORE.replace("[32][32]", "[32][33]")
_PROPOSAL: Proposal = replace(UNDONE_ELSEWHERE, path=_PATH, kernel=_KEY, files=change(_PATH, _BEFORE, _AFTER))


def _profiled(document: OpenDocument, job: str) -> None:
    """Its run has a finding on the third line, and one in the other kernel."""
    task = Task(Verb.PROFILE, JobRequest(_PATH, _PATH.parent, texts=((_PATH, document.text),)))
    document.begin(job)
    for kernel, line in ((_KEY, 3), ("other(float *)", 7)):
        profile = profile_of(kernel, lines=(line_of(line, str(_PATH)),), findings=(finding_of("KO103", line),))
        document.collect(job, task, profile)
    document.collect(job, task, JobEnded(job, 0, "ended"))


def _lines(document: OpenDocument) -> list[int]:
    """Those with a finding."""
    return [note.line for note in document.view.notes if note.stage == "profile"]


def _opened() -> tuple[OpenDocument, OpenDocuments]:
    document = OpenDocument("file:///w/tile.cu", _PATH, _BEFORE)
    _profiled(document, "J1")
    assert _lines(document) == [3, 7]
    return document, OpenDocuments({document.key: document})


def test_findings_of_an_accepted_edit_go_with_the_decision_also_on_lines_that_it_left_alone() -> None:
    document, documents = _opened()
    document.text = _AFTER
    shown: list[str] = []
    documents.decided(_PROPOSAL, shown.append)
    assert shown == [document.key]
    assert _lines(document) == [7], "the other kernel is as it was"
    assert [line.line for line in document.view.lines] == [] and document.view.live == ()


def test_an_edit_by_hand_keeps_the_findings_of_the_lines_that_it_left_alone() -> None:
    document, _ = _opened()
    document.text = _AFTER
    document.reparse()
    assert _lines(document) == [3, 7]


def test_an_undo_brings_the_findings_back_at_once() -> None:
    document, documents = _opened()
    for text, lines in ((_AFTER, [7]), (_BEFORE, [3, 7]), (f"// mine\n{_AFTER}", [8]), (f"// mine\n{_BEFORE}", [4, 8])):
        document.text = text
        documents.decided(_PROPOSAL, lambda key: None)
        assert _lines(document) == lines and document.view.live == ()


def test_a_profile_of_the_accepted_text_shows_its_own_findings_until_it_is_undone_or_left_in_turn() -> None:
    document, documents = _opened()
    document.text = _AFTER
    documents.decided(_PROPOSAL, lambda key: None)
    _profiled(document, "J2")
    document.text = f"// a remark\n{_AFTER}"
    document.reparse()
    assert _lines(document) == [4, 8]
    document.text = _BEFORE
    documents.decided(_PROPOSAL, lambda key: None)
    assert _lines(document) == [7]


async def test_an_editor_shows_so_before_anything_is_saved(tmp_path: Path) -> None:
    path, key = tmp_path / "tile.cu", "file:///tile.cu"
    profile = profile_of(_KEY, lines=(line_of(3, str(path)),), findings=(finding_of("KO103", 3),))
    stored = StoredAnalysis("profile", answer_key(Source(path, _BEFORE).sha256, ""), (event_json(profile),))
    offered = replace(_PROPOSAL, path=path, files=change(path, _BEFORE, _AFTER), state=ProposalState.OPEN)
    guard = Guard(TrustStore(tmp_path / "trust"), cast(Any, None), is_trusted=False)
    with open_store(tmp_path / "memory.db") as store:
        store.keep_analysis(tmp_path, path, stored, 1)
        store.add_proposal(tmp_path, offered)
        lanes = Lane(cast(Any, Host())), Lane(cast(Any, Host()))
        editor = EditorSession(store, EditorParts(*lanes, guard, Listener(), lambda _: Settings(), "test"))
        editor.put(key, path, _BEFORE, Trigger.OPENED)
        assert [note.stage for note in editor.view(key).notes] == ["proposal", "profile"]
        editor.review.begin(offered.id, (), offered.before)
        editor.put(key, path, _AFTER, Trigger.TYPED)
        assert editor.view(key).notes == () and store.find_proposal(offered.id).state is ProposalState.ACCEPTED
        await editor.close()
