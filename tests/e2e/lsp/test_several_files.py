"""A proposal that changes several files, in an editor: one edit over all of them, one decision."""

from __future__ import annotations

from pathlib import Path
from urllib.parse import urlparse

import pytest
from lsprotocol import types

from assistant.cuda.changes import changes_of
from assistant.memory.store import open_store
from assistant.model.proposal import Proposal
from assistant.model.source import Source
from tests.contracts.stored import Given
from tests.e2e.cli.harness import DATA, Cli
from tests.e2e.lsp.conftest import Start
from tests.e2e.lsp.editor import Editor
from tests.e2e.lsp.test_programs import QUIET, consent

EDITS = DATA / "edits" / "smooth"
KERNEL = "smooth(const float *, float *, int)"


@pytest.fixture
def proposal(cli: Cli) -> Proposal:
    """The right edit of the kernel's header and of its launch, open in memory."""
    names = ("main.cu", "smooth.cuh", "table.cu")
    for name in names:
        cli.write(name, (EDITS / "before" / name).read_text("utf-8"))
    cli.write("kernelopt.toml", "")
    before, after = (
        tuple(Source(cli.folder / name, (EDITS / side / name).read_text("utf-8")) for name in names[:2])
        for side in ("before", "right_block")
    )
    with open_store(cli.home / "memory.sqlite3") as store:
        made = Given.proposal("P01", path=cli.folder / "smooth.cuh", kernel=KERNEL, files=changes_of(before, after))
        store.add_proposal(cli.folder, made)
    return made


def decided(cli: Cli) -> list[str]:
    with open_store(cli.home / "memory.sqlite3") as store:
        return [decision.kind.value for decision in store.decisions("P01")]


async def opened(start: Start) -> Editor:
    editor = await start(settings=QUIET)
    editor.answer = consent
    return editor


async def test_all_files_are_changed_by_one_edit_and_the_decision_is_kept_once(cli: Cli, open_editor: Start, proposal: Proposal) -> None:
    editor = await opened(open_editor)
    documents = [editor.open(path) for path in proposal.paths]
    preview = await editor.run("kernelopt.proposal.preview", proposal_id="P01")
    assert [file["name"] for file in preview["files"]] == ["smooth.cuh", "main.cu"]
    assert [len(file["hunks"]) for file in preview["files"]] == [1, 1]
    for change, file in zip(proposal.shown_files, preview["files"], strict=True):
        before, after = file["before_uri"], file["proposal_uri"]
        assert urlparse(before).path == urlparse(after).path == f"/{file['name']}", "both sides have one name: nothing is renamed"
        shown = [await editor.client.workspace_text_document_content_async(types.TextDocumentContentParams(uri)) for uri in (before, after)]
        assert [side.text for side in shown] == [change.before_text, change.after_text]
    answer = await editor.run("kernelopt.proposal.accept", proposal_id="P01")
    assert answer["outcome"] == "applying"
    await editor.until(lambda: decided(cli) == ["accepted"])
    assert len(editor.applied) == 1
    assert [document.text for document in documents] == [source.text for source in proposal.after]
    editor.undo(documents[0])
    await editor.stays(lambda: decided(cli) == ["accepted"], 0.3)
    editor.undo(documents[1])
    await editor.until(lambda: decided(cli) == ["accepted", "undone"])


@pytest.mark.thorough
async def test_a_file_that_is_not_open_is_changed_with_the_others(cli: Cli, open_editor: Start, proposal: Proposal) -> None:
    editor = await opened(open_editor)
    editor.open(proposal.path)
    await editor.run("kernelopt.proposal.accept", proposal_id="P01")
    await editor.until(lambda: decided(cli) == ["accepted"])
    assert {Path(uri.removeprefix("file://")).name for uri in editor.documents} == {"main.cu", "smooth.cuh"}


async def test_a_file_that_moved_on_leaves_all_as_they_are(cli: Cli, open_editor: Start, proposal: Proposal) -> None:
    editor = await opened(open_editor)
    header, main = editor.open(proposal.path), editor.open(proposal.paths[0])
    editor.replace(main, "smooth<<<", ";smooth<<<")
    with pytest.raises(Exception, match=r"main\.cu changed where P01 edits it"):
        await editor.run("kernelopt.proposal.accept", proposal_id="P01")
    assert header.text == proposal.before[1].text and editor.applied == []


async def test_a_proposal_that_one_file_has_no_room_for_is_offered_in_none(cli: Cli, open_editor: Start, proposal: Proposal) -> None:
    editor = await opened(open_editor)
    header, main = editor.open(proposal.path), editor.open(proposal.paths[0])

    async def is_offered() -> bool:
        return "Review" in await editor.titles(header)

    async def is_not_offered() -> bool:
        return not await is_offered()

    await editor.until(is_offered)
    editor.replace(main, "smooth<<<", ";smooth<<<")
    await editor.until(is_not_offered)
    editor.replace(main, ";smooth<<<", "smooth<<<")
    await editor.until(is_offered)
