"""Pair sessions from an editor: each save answered as a lens and in the log, gone on with in the terminal, and the other way round."""

from __future__ import annotations

import subprocess
from typing import Any

import pytest

from assistant.memory.store import open_store
from assistant.model.pair import Turn, TurnKind
from assistant.model.verification import Outcome
from tests.e2e.cli.harness import COMMAND, DEADLINE_S, Cli, Ended
from tests.e2e.cli.test_programs import MAIN, OPS, RUN
from tests.e2e.lsp.conftest import Start
from tests.e2e.lsp.editor import Document, Editor, failure

QUIET = {"background": {"compile": "off", "verify": "off", "profile": "off"}}
"""Settings under which nothing runs unasked: what happens then is the session's doing."""
STORE = "out[x * height + y] = in[y * width + x];"
WRONG = "out[x * height + y] = in[y * width + x] + 1.0f;"


def turns(cli: Cli, document: Document) -> tuple[Turn, ...]:
    """Of the newest session on the file, as memory holds them."""
    with open_store(cli.home / "memory.sqlite3") as store:
        sessions = store.pair_sessions(document.path, is_open_only=False)
        return store.turns(sessions[0].id) if sessions else ()


def kinds(cli: Cli, document: Document) -> list[str]:
    return [turn.kind.value for turn in turns(cli, document)]


async def pair(editor: Editor, verb: str, document: Document, **more: Any) -> dict[str, Any]:
    return await editor.run(f"kernelopt.pair.{verb}", uri=document.uri, kernel="transpose", **more)


async def answered(editor: Editor, cli: Cli, document: Document, count: int) -> Turn:
    """The turn of that number, once it is made and shown."""
    await editor.until(lambda: len(turns(cli, document)) >= count)
    turn = turns(cli, document)[count - 1]

    async def is_shown() -> bool:
        return any(turn.answer in text for text in await answers(editor, document))

    await editor.until(is_shown)
    return turn


def terminal(cli: Cli, *arguments: str, said: str) -> Ended:
    """``kernelopt pair`` with its commands on standard input."""
    done = subprocess.run(
        (*COMMAND, "pair", *arguments),
        input=said,
        capture_output=True,
        text=True,
        encoding="utf-8",
        cwd=cli.folder,
        env=cli.environment(),
        timeout=DEADLINE_S,
        check=False,
    )
    return Ended(done.returncode, done.stdout, done.stderr)


@pytest.mark.thorough
async def test_a_session_begun_in_the_editor_is_gone_on_with_in_the_terminal(cli: Cli, open_editor: Start) -> None:
    source = cli.quick()
    editor = await open_editor(settings=QUIET)
    document = editor.open(source)
    kernel_line = document.line_of("__global__ void transpose")
    offered_actions = [action.title for action in await editor.actions(document, kernel_line)]
    assert "kernelopt: pair on transpose" in offered_actions
    begun = await pair(editor, "start", document, goal="fewer sectors")
    assert not begun["is_resumed"] and "fewer sectors" in begun["answer"]
    await editor.until(lambda: is_titled(editor, document, "Pair: save an edit"))

    told = await pair(editor, "constrain", document, words="keep the launch")
    assert told["answer"] == "constraints: 1. keep the launch"

    editor.replace(document, STORE, WRONG)
    editor.save(document)
    wrong = await answered(editor, cli, document, 3)
    assert (wrong.kind, wrong.outcome) == (TurnKind.EDIT, Outcome.FAIL) and wrong.answer.startswith("v1: FAIL, ")
    assert wrong.answer in editor.logged

    went = await pair(editor, "back", document, version=0)
    assert went["outcome"] == "applying"
    await editor.until(lambda: STORE in document.text)
    assert len(editor.applied) == 1, "one edit, which undo takes back"
    editor.save(document)
    assert (await answered(editor, cli, document, 4)).answer == "back at v0: the baseline"

    started = await pair(editor, "suggest", document)
    assert started["job_id"].startswith("J")
    offered = await answered(editor, cli, document, 5)
    assert offered.kind is TurnKind.SUGGEST and offered.proposal is not None and "PREDICTED" in offered.answer
    await editor.run("kernelopt.proposal.accept", proposal_id=offered.proposal)
    await editor.until(lambda: "__shared__" in document.text)
    await editor.until(lambda: is_titled(editor, document, "Pair: P1 accepted by"))
    editor.save(document)
    gain = await answered(editor, cli, document, 7)
    assert kinds(cli, document)[5:] == ["decision", "edit"]
    assert gain.outcome is Outcome.PASS and gain.proposal == offered.proposal
    assert "global sectors 17,280 → 3,840 (emulator)" in gain.answer

    ended = terminal(cli, "transpose.cu", said="ladder\nwhy\nstop\n")
    assert ended.code == 0 and "after 7 turns" in ended.out, ended.said
    assert "v1: FAIL" in ended.out and "v2 [best, now]: PASS, PREDICTED" in ended.out
    assert "| global sectors | 17,280 → 3,840 | emulator |" in ended.out
    assert f"Session {begun['session_id']}." in ended.out and "Goal: fewer sectors" in ended.out
    assert kinds(cli, document)[7:] == ["why", "stop"] and turns(cli, document)[-1].by.startswith("pair ")

    async def is_over() -> bool:
        return not any("Pair: " in text for text in await answers(editor, document))

    await editor.until(is_over)
    assert "no pair session is open" in await failure(editor, "kernelopt.pair.why", uri=document.uri, kernel="transpose")


async def test_a_session_begun_in_the_terminal_stands_at_the_kernel_in_the_editor(cli: Cli, open_editor: Start) -> None:
    source = cli.quick()
    editor = await open_editor(settings=QUIET)
    document = editor.open(source)
    assert not await is_titled(editor, document, "Pair: ")
    ended = terminal(cli, "transpose.cu", "--kernel", "transpose", said="constrain no staged-store\n")
    assert ended.code == 0 and "stays open" in ended.err, ended.said
    await editor.until(lambda: is_titled(editor, document, "Pair: constraints: 1. no staged-store"))
    resumed = await pair(editor, "start", document)
    assert resumed["is_resumed"] and "after 2 turns" in resumed["answer"]
    stopped = await pair(editor, "stop", document)
    assert "constraint 1: no staged-store" in stopped["markdown"]


@pytest.mark.thorough
async def test_a_comment_is_no_edit_and_costs_no_job(cli: Cli, open_editor: Start) -> None:
    source = cli.quick()
    editor = await open_editor(settings=QUIET)
    document = editor.open(source)
    await pair(editor, "start", document)
    editor.replace(document, STORE, f"{STORE}  // by rows")
    editor.save(document)
    await editor.quiet()
    assert kinds(cli, document) == ["start"]


async def test_what_is_shown_of_a_session_loads_nothing(cli: Cli, open_editor: Start) -> None:
    editor = await open_editor(settings=QUIET)
    document = editor.open(cli.quick())
    for verb in ("start", "stop"):
        shown = (await pair(editor, verb, document, goal="![](https://example.org/seen.png)"))["markdown"]
        assert "https://example.org/seen.png" in shown and "![](" not in shown


@pytest.mark.thorough
async def test_a_text_that_does_not_compile_is_answered_with_its_first_error(cli: Cli, open_editor: Start) -> None:
    source = cli.quick()
    editor = await open_editor(settings=QUIET)
    document = editor.open(source)
    await pair(editor, "start", document)
    editor.replace(document, STORE, "out[x * height + y] = nothing;")
    editor.save(document)
    turn = await answered(editor, cli, document, 2)
    assert turn.outcome is Outcome.FAIL and turn.answer.startswith("v1: does not compile: line 11:") and "nothing" in turn.answer


@pytest.mark.thorough
async def test_an_edit_of_two_files_is_one_version_whichever_is_saved_last(cli: Cli, open_editor: Start) -> None:
    cli.write("kernelopt.toml", "")
    cli.write("main.cu", MAIN)
    editor = await open_editor(settings=QUIET)
    run, header = editor.open(cli.write("run.cu", RUN)), editor.open(cli.write("ops.cuh", OPS))
    await editor.until(lambda: is_titled(editor, header, "via main.cu"))
    await editor.run("kernelopt.pair.start", uri=header.uri, kernel="grow")
    loop = "for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)"
    editor.replace(header, "int i = blockIdx.x * blockDim.x + threadIdx.x;\n    if (i < n)", loop)
    editor.replace(run, "<<<(n + 127) / 128, 128>>>", "<<<8, 128>>>")
    editor.save(run)
    turn = await answered(editor, cli, header, 2)
    assert turn.outcome is Outcome.PASS and "for (int i" in (turn.text or ""), turn.answer
    assert [other.path.name for other in turn.others] == ["run.cu"]


async def is_titled(editor: Editor, document: Document, start: str) -> bool:
    return any(text.startswith(start) for text in await answers(editor, document))


async def answers(editor: Editor, document: Document) -> list[str]:
    """What lenses say in full: a long answer is cut in the row itself."""
    return [lens.command.tooltip or "" for lens in await editor.lenses(document) if lens.command]
