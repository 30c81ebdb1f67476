"""Proposals from an editor: shown, previewed, accepted as its own edit, undone, redone, rejected, lost in a race."""

from __future__ import annotations

import asyncio
import shutil
from pathlib import Path

import pytest
from lsprotocol import types

from assistant.memory.store import open_store
from assistant.model.proposal import Decision, ProposalState
from tests.e2e.conftest import Offered
from tests.e2e.lsp.capabilities import bare, neovim
from tests.e2e.lsp.conftest import Start
from tests.e2e.lsp.editor import NO_ANSWER, Document, Editor, failure
from tests.e2e.lsp.positions import edited


async def shown(editor: Editor, offered: Offered) -> Document:
    """The source, open, with its proposal shown."""
    document = editor.open(offered.source)
    await editor.until(lambda: proposal_notes(editor, document))
    return document


def proposal_notes(editor: Editor, document: Document) -> list[types.Diagnostic]:
    return [note for note in editor.diagnostics(document) if note.data]


def decisions(offered: Offered) -> list[Decision]:
    """What memory holds, oldest first."""
    with open_store(offered.cli.home / "memory.sqlite3") as store:
        return list(store.decisions(offered.id))


def kinds(offered: Offered) -> list[str]:
    return [decision.kind.value for decision in decisions(offered)]


async def is_offered(editor: Editor, document: Document) -> bool:
    return "Review" in await editor.titles(document)


def content(path: Path) -> str:
    return path.read_text("utf-8")


QUIET = {"background": {"compile": "off", "verify": "off", "profile": "off"}}
"""Settings under which nothing runs unasked: what happens then is the proposal's doing."""


async def test_a_proposal_is_a_note_a_lens_and_actions_that_only_carry_commands(offered: Offered, open_editor: Start) -> None:
    editor = await open_editor(cli=offered.cli, settings=QUIET)
    document = await shown(editor, offered)
    (note,) = proposal_notes(editor, document)
    assert note.severity is types.DiagnosticSeverity.Information and "x predicted, right in " in note.message
    assert await is_offered(editor, document)
    actions = await editor.actions(document, note.range.start.line)
    gain, verdict = note.message.partition(": ")[0].split(", ")
    titles = [action.title for action in actions]
    edit = f"staged store of transpose: {gain}"
    assert titles[:3] == [f"kernelopt: preview {edit}", f"kernelopt: accept {edit}, {verdict}", f"kernelopt: reject {edit}"]
    assert {a.command.command for a in actions if a.command} >= {
        f"kernelopt.proposal.{verb}" for verb in ("preview", "accept", "reject", "explain", "edit")
    }
    for action in actions:
        assert action.command is not None and action.edit is None and not action.is_preferred
        assert str(getattr(action.kind, "value", action.kind)) in ("quickfix.kernelopt", "refactor.rewrite.kernelopt")
    assert await editor.actions(document, note.range.start.line, "source.fixAll") == []
    assert {a.kind for a in await editor.actions(document, note.range.start.line, "quickfix")} == {"quickfix.kernelopt"}
    assert await editor.actions(document, 0) == [], "no kernel stands there"


async def test_accepting_is_a_versioned_edit_and_undo_and_redo_are_decisions(offered: Offered, open_editor: Start) -> None:
    editor = await open_editor(cli=offered.cli, settings=QUIET)
    document = await shown(editor, offered)
    await editor.run("kernelopt.proposal.accept", proposal_id=offered.id)
    await editor.until(lambda: editor.applied)
    (change,) = editor.applied[0].edit.document_changes or ()
    assert isinstance(change, types.TextDocumentEdit) and change.text_document.version == 1
    await editor.until(lambda: not proposal_notes(editor, document))
    assert kinds(offered) == ["accepted"] and not await is_offered(editor, document)
    assert document.text != offered.original and offered.source.read_text() == offered.original, "saving is the editor's"
    views = [f"git:{offered.source}?ref", f"kernelopt:/proposal/{offered.id}/before/transpose.cu"]
    for view in [editor.open(uri, offered.original) for uri in views]:
        assert await editor.lenses(view) == [] and kinds(offered) == ["accepted"], "a view of an earlier text undoes nothing"

    editor.undo(document)
    await editor.until(lambda: proposal_notes(editor, document))
    assert kinds(offered) == ["accepted", "undone"] and await is_offered(editor, document)

    editor.redo(document)
    await editor.until(lambda: not proposal_notes(editor, document))
    assert kinds(offered) == ["accepted", "undone", "accepted"] and not await is_offered(editor, document)


async def test_spaces_and_comments_leave_an_offer_valid_and_stay_when_it_is_accepted(offered: Offered, open_editor: Start) -> None:
    editor = await open_editor(cli=offered.cli, settings=QUIET)
    document = await shown(editor, offered)
    (before,) = proposal_notes(editor, document)
    lines = document.text.splitlines()
    body = document.line_of("__global__") + 1
    lines[body] += "  // mine"
    editor.type(document, "// on top\n\n" + " \n".join(lines) + "\n")

    def moved() -> list[types.Diagnostic]:
        return [note for note in proposal_notes(editor, document) if note.range.start.line != before.range.start.line]

    (now,) = await editor.until(moved)
    assert now.message == before.message and await is_offered(editor, document)
    spaced = document.text
    answer = await editor.run("kernelopt.proposal.accept", proposal_id=offered.id)
    assert answer["outcome"] == "applying"
    await editor.until(lambda: not proposal_notes(editor, document))
    assert kinds(offered) == ["accepted"] and document.text.startswith("// on top\n\n") and "  // mine \n" in document.text
    editor.undo(document)
    await editor.until(lambda: proposal_notes(editor, document))
    assert kinds(offered) == ["accepted", "undone"] and document.text == spaced


async def test_an_editor_that_does_not_make_the_edit_has_decided_nothing(offered: Offered, open_editor: Start) -> None:
    editor = await open_editor(cli=offered.cli, settings=QUIET)
    document = await shown(editor, offered)
    editor.is_editable = False
    await editor.run("kernelopt.proposal.accept", proposal_id=offered.id)
    await editor.until(lambda: any("did not apply the edit" in message for message in editor.said))
    assert kinds(offered) == [] and await is_offered(editor, document)


async def test_a_preview_is_a_read_only_document_where_the_editor_has_those(offered: Offered, open_editor: Start) -> None:
    editor = await open_editor(cli=offered.cli, settings=QUIET)
    await shown(editor, offered)
    answer = await editor.run("kernelopt.proposal.preview", proposal_id=offered.id)
    await editor.until(lambda: editor.client.shown_documents)
    uri = editor.client.shown_documents[0].uri
    assert uri == answer["diff_uri"] == f"kernelopt:/proposal/{offered.id}.diff"
    diff = await editor.client.workspace_text_document_content_async(types.TextDocumentContentParams(uri))
    assert diff.text == answer["diff"] == offered.proposal["diff"]
    whole = await editor.client.workspace_text_document_content_async(types.TextDocumentContentParams(answer["files"][0]["proposal_uri"]))
    assert "__global__" in whole.text and whole.text != offered.original
    for hunk in answer["files"][0]["hunks"]:
        after = whole.text.splitlines()[hunk["after_line"] - 1 :][: hunk["after_count"]]
        before = offered.original.splitlines()[hunk["before_line"] - 1 :][: hunk["before_count"]]
        assert before != after and "\n".join([f"-{line}" for line in before] + [f"+{line}" for line in after]) in answer["diff"]
    assert tuple(hunk["id"] for hunk in answer["files"][0]["hunks"]) == tuple(offered.proposal["hunk_ids"])


async def test_lists_of_kernels_and_proposals_say_what_a_tree_of_them_shows(offered: Offered, open_editor: Start) -> None:
    editor = await open_editor(cli=offered.cli, settings=QUIET)
    document = await shown(editor, offered)
    (proposal,) = await editor.ask("kernelopt/list", what="proposals")
    (kernel,) = [found for found in await editor.ask("kernelopt/list", what="kernels") if found["kernel"] == found["key"]]
    assert proposal["uri"] == kernel["uri"] == document.uri and proposal["id"] == offered.id and proposal["title"]
    assert "__global__" in offered.original.splitlines()[kernel["document_line"]] and kernel["headline"] == "not profiled yet"


@pytest.mark.thorough
async def test_a_preview_is_a_file_where_the_editor_only_shows_files(offered: Offered, open_editor: Start) -> None:
    editor = await open_editor(cli=offered.cli, capabilities=neovim(), settings=QUIET)
    await shown(editor, offered)
    await editor.run("kernelopt.proposal.preview", proposal_id=offered.id)
    await editor.until(lambda: editor.client.shown_documents)
    path = Path(editor.client.shown_documents[0].uri.removeprefix("file://"))
    assert path.is_relative_to(offered.cli.folder / ".kernelopt") and content(path) == offered.proposal["diff"]

    await asyncio.to_thread(shutil.rmtree, offered.cli.folder / ".kernelopt")
    (offered.cli.folder / ".kernelopt").write_text("no folder can be made here")
    for verb in ("preview", "edit"):
        error = await failure(editor, f"kernelopt.proposal.{verb}", proposal_id=offered.id)
        assert ".kernelopt" in error and "Errno" not in error and "Traceback" not in error, error


@pytest.mark.thorough
async def test_a_preview_is_a_path_in_a_message_for_the_least_of_editors(offered: Offered, open_editor: Start) -> None:
    trusted = offered.cli.run("trust", offered.cli.folder)
    assert trusted.code == 0, trusted.said
    editor = await open_editor(cli=offered.cli, capabilities=bare(), options={})
    await shown(editor, offered)
    await editor.run("kernelopt.proposal.preview", proposal_id=offered.id)
    await editor.until(lambda: any(offered.id in message for message in editor.said))
    (told,) = [message for message in editor.said if offered.id in message]
    assert content(Path(told.partition(": ")[2])) == offered.proposal["diff"]


async def test_an_editor_without_versions_gets_plain_changes_and_a_double_click_is_one(offered: Offered, open_editor: Start) -> None:
    editor = await open_editor(cli=offered.cli, capabilities=neovim(), settings=QUIET)
    document = await shown(editor, offered)
    accept = editor.run("kernelopt.proposal.accept", proposal_id=offered.id)
    _, refused = await asyncio.gather(accept, failure(editor, "kernelopt.proposal.accept", proposal_id=offered.id))
    assert "still making the previous edit" in refused
    await editor.until(lambda: not proposal_notes(editor, document))
    whole = await editor.client.workspace_text_document_content_async(
        types.TextDocumentContentParams(f"kernelopt:/proposal/{offered.id}/transpose.cu")
    )
    assert len(editor.applied) == 1 and document.text == whole.text
    assert editor.applied[0].edit.changes and editor.applied[0].edit.document_changes is None and kinds(offered) == ["accepted"]


async def test_a_reject_keeps_its_reason(offered: Offered, open_editor: Start) -> None:
    editor = await open_editor(cli=offered.cli, settings=QUIET)
    document = await shown(editor, offered)
    await editor.run("kernelopt.proposal.reject", proposal_id=offered.id, reason_code="readability", reason="two tiles are enough")
    await editor.until(lambda: not proposal_notes(editor, document))
    assert not await is_offered(editor, document)
    (decision,) = decisions(offered)
    assert (decision.kind.value, decision.reason_code, decision.reason) == ("rejected", "readability", "two tiles are enough")


async def test_a_reject_without_a_reason_asks_for_one(offered: Offered, open_editor: Start) -> None:
    editor = await open_editor(cli=offered.cli, settings=QUIET, answer=lambda question: "readability")
    document = await shown(editor, offered)
    assert (await editor.run("kernelopt.proposal.reject", proposal_id=offered.id))["outcome"] == "asking"
    await editor.until(lambda: not proposal_notes(editor, document))
    (question,) = editor.asked
    assert "no reason" in {action.title for action in question.actions or ()} and kinds(offered) == ["rejected"]


async def test_a_question_that_is_never_answered_rejects_nothing(offered: Offered, open_editor: Start) -> None:
    editor = await open_editor(cli=offered.cli, settings=QUIET, answer=lambda question: NO_ANSWER)
    document = await shown(editor, offered)
    await editor.run("kernelopt.proposal.reject", proposal_id=offered.id)
    await editor.until(lambda: editor.asked)
    assert await is_offered(editor, document) and kinds(offered) == []


async def test_a_stale_accept_is_refused_and_says_why(offered: Offered, open_editor: Start) -> None:
    editor = await open_editor(cli=offered.cli, settings=QUIET)
    document = await shown(editor, offered)
    edited = next(line[1:] for line in offered.proposal["diff"].splitlines() if line.startswith("-") and not line.startswith("---"))
    editor.replace(document, edited, edited + " ;  // mine")
    with_mine = document.text
    error = await failure(editor, "kernelopt.proposal.accept", proposal_id=offered.id)
    assert "changed where" in error and "kernelopt optimize" in error
    await editor.until(lambda: not proposal_notes(editor, document))
    assert document.text == with_mine and editor.applied == [] and kinds(offered) == []
    with open_store(offered.cli.home / "memory.sqlite3") as store:
        assert store.find_proposal(offered.id).state is ProposalState.STALE


async def test_a_decision_on_the_terminal_is_seen_within_a_second(offered: Offered, open_editor: Start) -> None:
    editor = await open_editor(cli=offered.cli, settings=QUIET)
    document = await shown(editor, offered)
    process = await asyncio.to_thread(offered.cli.run, "reject", offered.id, "--reason", "too clever")
    assert process.code == 0, process.said
    await editor.until(lambda: not proposal_notes(editor, document))
    assert not await is_offered(editor, document)
    error = await failure(editor, "kernelopt.proposal.accept", proposal_id=offered.id)
    assert "rejected by cli" in error


async def test_an_accept_on_the_terminal_is_neither_undone_nor_contested_by_the_editor(offered: Offered, open_editor: Start) -> None:
    editor = await open_editor(cli=offered.cli, settings=QUIET)
    document = await shown(editor, offered)
    process = await asyncio.to_thread(offered.cli.run, "accept", offered.id)
    assert process.code == 0, process.said
    await editor.until(lambda: not proposal_notes(editor, document))
    editor.type(document, document.text + " ")
    editor.undo(document)
    await editor.stays(lambda: not proposal_notes(editor, document), seconds=0.5)
    editor.type(document, content(offered.source))  # it reads the file again
    await editor.stays(lambda: not proposal_notes(editor, document) and editor.said == [], seconds=0.5)
    assert kinds(offered) == ["accepted"]
    editor.type(document, offered.original)
    await editor.until(lambda: proposal_notes(editor, document))
    assert kinds(offered) == ["accepted", "undone"]


@pytest.mark.thorough
async def test_two_editors_race_for_one_proposal_and_the_loser_learns_it(offered: Offered, open_editor: Start) -> None:
    first = await open_editor(cli=offered.cli, settings=QUIET)
    second = await open_editor(cli=offered.cli, settings=QUIET)
    here, there = await shown(first, offered), await shown(second, offered)
    second.is_editable = False  # its person will make the edit a moment later
    await second.run("kernelopt.proposal.accept", proposal_id=offered.id)
    await second.until(lambda: second.applied)
    await first.run("kernelopt.proposal.reject", proposal_id=offered.id, reason_code="readability")
    await first.until(lambda: not proposal_notes(first, here))
    second.type(there, edited(there.text, edits_of(second), second.encoding))
    await second.until(lambda: any("rejected by lsp" in message for message in second.said))
    assert kinds(offered) == ["rejected"]
    await second.until(lambda: not proposal_notes(second, there))


def edits_of(editor: Editor) -> list[types.TextEdit]:
    """The edits of the first change that was asked for."""
    (change,) = editor.applied[0].edit.document_changes or ()
    assert isinstance(change, types.TextDocumentEdit)
    return [edit for edit in change.edits if isinstance(edit, types.TextEdit)]
