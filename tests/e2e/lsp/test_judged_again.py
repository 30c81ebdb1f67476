"""What a person makes of a proposal is judged as it stands before anything good is said of it."""

from __future__ import annotations

import pytest
from lsprotocol import types

from assistant.memory.store import open_store
from assistant.model.proposal import Proposal, ProposalState
from tests.e2e.cli.harness import Cli
from tests.e2e.conftest import Offered
from tests.e2e.lsp.conftest import Start
from tests.e2e.lsp.editor import Document, Editor
from tests.e2e.vscode.programs import WAVES

LONG_S = 600.0
QUIET = {"background": {"compile": "off", "verify": "off", "profile": "off"}}


def stored(cli: Cli) -> dict[str, Proposal]:
    with open_store(cli.home / "memory.sqlite3") as store:
        return {proposal.id: proposal for proposal in store.proposals()}


def offers(editor: Editor, document: Document) -> list[str]:
    return [note.data["proposal_id"] for note in editor.diagnostics(document) if note.data]


def judgements(editor: Editor, document: Document) -> list[types.Diagnostic]:
    return [note for note in editor.diagnostics(document) if note.message.startswith("judged on the current text")]


@pytest.mark.thorough
async def test_asking_for_an_edit_offers_one_that_was_verified(cli: Cli, open_editor: Start) -> None:
    editor = await open_editor(settings=QUIET)
    document = editor.open(cli.small("transpose.cu"))
    answer = await editor.run("kernelopt.optimize", uri=document.uri, kernel="transpose")
    (offer,) = await editor.until(lambda: offers(editor, document))
    assert stored(cli)[offer].job == answer["job_id"] and stored(cli)[offer].verification.outcome.value == "PASS"
    await editor.until(lambda: any("1 proposal" in message for message in editor.said))
    ends = [report for reports in editor.client.progress_reports.values() for report in reports]
    assert isinstance(ends[-1], types.WorkDoneProgressEnd) and "1 proposal" in str(ends[-1].message)


@pytest.mark.thorough
async def test_a_part_that_was_accepted_is_judged_and_the_verdict_stays(offered: Offered, open_editor: Start) -> None:
    editor = await open_editor(cli=offered.cli, settings=QUIET)
    document = editor.open(offered.source)
    await editor.until(lambda: offers(editor, document))
    first, *_ = stored(offered.cli)[offered.id].hunks
    line = document.line_of("__global__")
    titles = [action.title for action in await editor.actions(document, line)]
    assert not [title for title in titles if "accept hunk" in title], "all three hunks are about one tile: one choice"
    await editor.run("kernelopt.proposal.accept", proposal_id=offered.id, hunk_ids=[first.id])
    await editor.until(lambda: not offers(editor, document))
    assert "__shared__ float tile" in document.text and "x_out" not in document.text
    with open_store(offered.cli.home / "memory.sqlite3") as store:
        (decision,) = store.decisions(offered.id)
    assert (decision.kind.value, decision.hunk_ids) == ("partially_accepted", (first.id,))
    (told,) = await editor.until(lambda: [message for message in editor.said if "judged on the current text" in message])
    assert told.startswith("transpose.cu: right at ")
    (note,) = await editor.until(lambda: judgements(editor, document))
    assert note.range.start.line == line and ": right at " in note.message
    editor.save(document)
    await editor.kill()

    again = await open_editor(cli=offered.cli, settings=QUIET)
    document = again.open(offered.source)
    assert [found.message for found in await again.until(lambda: judgements(again, document))] == [note.message]


@pytest.mark.thorough
async def test_a_hunk_on_a_text_that_moved_on_is_judged_there_and_offered_anew(offered: Offered, open_editor: Start) -> None:
    editor = await open_editor(cli=offered.cli, settings=QUIET)
    document = editor.open(offered.source)
    await editor.until(lambda: offers(editor, document))
    first, *others = stored(offered.cli)[offered.id].hunks
    editor.type(document, "int mine;\n" + document.text)
    answer = await editor.run("kernelopt.proposal.accept", proposal_id=offered.id, hunk_ids=[first.id])
    assert answer["outcome"] == "moved" and editor.applied == []
    assert any("the 1 hunk that you accepted will be judged on the current text" in message for message in editor.said)
    await editor.until(lambda: offers(editor, document) and offers(editor, document) != [offered.id])
    assert answer["job_id"] in {event["job"] for event in editor.events if event["event"] == "comparison"}
    (offer,) = offers(editor, document)
    proposals = stored(offered.cli)
    assert proposals[offered.id].state is ProposalState.SUPERSEDED
    assert [hunk.id for hunk in proposals[offer].hunks] == [first.id] and proposals[offer].files[0].before_text == document.text
    await editor.run("kernelopt.proposal.accept", proposal_id=offer)
    await editor.until(lambda: not offers(editor, document))
    assert document.text.startswith("int mine;\n") and "".join(first.after) in document.text
    assert all("".join(hunk.after) not in document.text for hunk in others)


@pytest.mark.thorough
async def test_what_a_skipped_hunk_leaves_is_judged_before_it_can_be_accepted(cli: Cli, open_editor: Start) -> None:
    source = cli.write("waves.cu", WAVES)
    ended = cli.run("optimize", source, "--json", "--allow-host-code", deadline_s=LONG_S)
    whole = ended.one("proposal")["id"]
    editor = await open_editor(settings=QUIET)
    document = editor.open(source)
    await editor.until(lambda: offers(editor, document))
    first, second, third = (hunk.id for hunk in stored(cli)[whole].hunks)
    titles = [action.title for action in await editor.actions(document, document.line_of("__global__"))]
    assert [title for title in titles if title.startswith("kernelopt: skip hunk 2 of 3 (line 15) of ")], titles

    answer = await editor.run("kernelopt.proposal.skip", proposal_id=whole, hunk_ids=[third])
    again = await editor.run("kernelopt.proposal.skip", proposal_id=whole, hunk_ids=[])
    assert (answer["outcome"], again["outcome"]) == ("judging", "kept") and offers(editor, document) == [whole], "it was taken back"
    answer = await editor.run("kernelopt.proposal.skip", proposal_id=whole, hunk_ids=[second])
    assert (answer["outcome"], answer["hunk_ids"]) == ("judging", [first, third])
    assert await editor.run("kernelopt.proposal.skip", proposal_id=whole, hunk_ids=[second]) == answer, "a double click starts one job"
    (rest,) = await editor.until(lambda: None if offers(editor, document) in ([], [whole]) else offers(editor, document))
    proposals = stored(cli)
    assert proposals[whole].state is ProposalState.SUPERSEDED and [hunk.id for hunk in proposals[rest].hunks] == [first, third]
    assert document.text == WAVES, "nothing enters the text before it is accepted"
    about = (await editor.run("kernelopt.proposal.preview", proposal_id=rest))["about"]
    assert " predicted, right in " in about[0] and stored(cli)[whole].labels != proposals[rest].labels, "a verdict of its own"
    assert about[1].startswith("2 of 3 hunks of: ") and about[2].startswith("Right at count=4000, steps=16; count=5623, steps=23; "), about

    await editor.run("kernelopt.proposal.accept", proposal_id=rest)
    await editor.until(lambda: not offers(editor, document))
    assert "0.9f * sum" in document.text and "0.01 * s" in document.text
    assert stored(cli)[rest].state is ProposalState.ACCEPTED
    await editor.quiet()
    assert not judgements(editor, document), "what was judged is not judged again"
