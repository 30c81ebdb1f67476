"""What may run: nothing in an untrusted folder; the user's own program once somebody said so; never waiting for an answer."""

from __future__ import annotations

import asyncio

import pytest
from lsprotocol import types
from pygls.exceptions import JsonRpcMethodNotFound

from tests.e2e.cli.harness import Cli, alive
from tests.e2e.lsp.capabilities import neovim
from tests.e2e.lsp.conftest import Start
from tests.e2e.lsp.editor import NO_ANSWER, Document, Editor, failure
from tests.e2e.lsp.programs import HALVE

UNTRUSTED = {"protocol": 1, "trusted": False, "supports": ["event"]}


def started(cli: Cli, editor: Editor) -> list[str]:
    """Processes that this test has started, besides the server itself."""
    return [process.command for process in alive(but_below=cli.neighbours) if process.pid != editor.process.pid]


def is_run(editor: Editor) -> bool:
    """Whether some job ran the program."""
    return any(event["event"] == "job_started" and event["command"] in ("check", "profile") for event in editor.events)


async def is_compiled(editor: Editor, document: Document) -> bool:
    return any("registers" in text for text in (await editor.hints(document)).values())


async def test_in_an_untrusted_folder_sources_are_only_parsed(cli: Cli, open_editor: Start) -> None:
    editor = await open_editor(options=UNTRUSTED)
    document = editor.open(cli.write("halve.cu", HALVE))
    assert [symbol.name for symbol in await editor.symbols(document)] == ["halve"]
    assert "Optimize" in await editor.titles(document)
    error = await failure(editor, "kernelopt.check", uri=document.uri)
    assert "not trusted" in error and "trust the folder in the editor" in error
    editor.save(document)
    await asyncio.sleep(1.0)
    assert started(cli, editor) == [] and editor.asked == [] and editor.events == []


@pytest.mark.thorough
async def test_where_neither_editor_nor_lens_speaks_of_trust_the_kernel_says_how_it_is_given(cli: Cli, open_editor: Start) -> None:
    editor = await open_editor(options={}, capabilities=neovim())
    document = editor.open(cli.write("halve.cu", HALVE))
    await editor.until(lambda: editor.diagnostics(document))
    (told,) = editor.diagnostics(document)
    assert f"kernelopt trust {cli.folder}" in told.message and told.severity is types.DiagnosticSeverity.Information
    assert "__global__" in HALVE.splitlines()[told.range.start.line]


@pytest.mark.thorough
async def test_the_lens_says_that_an_answer_is_waited_for(cli: Cli, open_editor: Start) -> None:
    editor = await open_editor()
    editor.answer = lambda _: NO_ANSWER
    document = editor.open(cli.write("halve.cu", HALVE))
    await editor.until(lambda: editor.asked)

    async def waits() -> bool:
        return "waiting for your OK" in await editor.titles(document)

    await editor.until(waits)
    assert "your consent to run the program" in [job["waits_for"] for job in await editor.jobs()]


async def test_an_editor_without_messages_that_ask_gets_a_note_and_answers_by_a_code_action(cli: Cli, open_editor: Start) -> None:
    editor = await open_editor(answer=_no_such_method)
    document = editor.open(cli.write("halve.cu", HALVE))

    def notes() -> list[types.Diagnostic]:
        return [note for note in editor.diagnostics(document) if "answer by a code action" in note.message]

    await editor.until(notes)
    (note,) = notes()
    assert "build and run" in note.message and "halve.cu" in note.message and not is_run(editor)
    actions = await editor.actions(document, note.range.start.line)
    once = actions[0]
    assert once.title == "kernelopt: answer Once: kernelopt wants to build and run …", "what waits comes first, in whole words"
    assert once.command is not None and once.command.arguments
    await editor.run(once.command.command, **once.command.arguments[0])
    await editor.until(lambda: is_run(editor) and not notes())
    assert not [action for action in await editor.actions(document, note.range.start.line) if "answer" in action.title]


def _no_such_method(question: types.ShowMessageRequestParams) -> str:
    raise JsonRpcMethodNotFound


async def test_nobody_is_asked_to_run_what_does_not_compile(cli: Cli, open_editor: Start) -> None:
    editor = await open_editor()
    document = editor.open(cli.write("halve.cu", HALVE.replace("0.5f;", "0.5f")))
    assert document.text != HALVE
    refused: list[str] = []

    async def is_refused() -> bool:
        refused[:] = (await editor.ask("kernelopt/status"))["refused"]
        return bool(refused)

    await editor.until(is_refused)
    await editor.until(lambda: editor.errors(document))
    assert len(refused) == 1 and refused[0].startswith("halve.cu does not compile: line ")
    assert "does not compile: line " in await failure_of_check(editor, document)
    assert editor.asked == [] and not is_run(editor)
    editor.replace(document, "0.5f", "0.5f;")
    editor.save(document)
    await editor.until(lambda: editor.asked)
    assert (await editor.ask("kernelopt/status"))["refused"] == []


async def failure_of_check(editor: Editor, document: Document) -> str:
    """What a person is told who asks for a check."""
    await editor.run("kernelopt.check", uri=document.uri)
    return await editor.until(lambda: next((said for said in editor.said if said.startswith("halve.cu: ")), ""))


@pytest.mark.thorough
async def test_without_a_word_from_the_editor_the_trust_file_decides(cli: Cli, open_editor: Start) -> None:
    editor = await open_editor(options={})
    document = editor.open(cli.write("halve.cu", HALVE))
    await asyncio.sleep(0.5)
    assert started(cli, editor) == [] and f"kernelopt trust {cli.folder}" in await failure(editor, "kernelopt.check", uri=document.uri)
    assert (await asyncio.to_thread(cli.run, "trust", cli.folder)).code == 0
    editor.save(document)
    await editor.until(lambda: is_compiled(editor, document))
    assert len(editor.asked) == 1


async def test_trust_given_and_taken_applies_at_once(cli: Cli, open_editor: Start) -> None:
    editor = await open_editor(options=UNTRUSTED)
    document = editor.open(cli.write("halve.cu", HALVE))
    editor.client.protocol.notify("kernelopt/trustChanged", {"trusted": True})
    await editor.until(lambda: is_compiled(editor, document))
    editor.client.protocol.notify("kernelopt/trustChanged", {"trusted": False})
    await editor.until(lambda: nothing_runs(editor))
    assert "not trusted" in await failure(editor, "kernelopt.profile", uri=document.uri)


async def nothing_runs(editor: Editor) -> bool:
    return not await editor.jobs()


async def test_consent_is_asked_once_with_the_exact_command(cli: Cli, open_editor: Start) -> None:
    editor = await open_editor(answer=lambda question: "Always here")
    document = editor.open(cli.write("halve.cu", HALVE))
    await editor.until(lambda: is_run(editor))
    await editor.quiet()
    (question,) = editor.asked
    assert str(document.path) in question.message
    assert [action.title for action in question.actions or ()] == ["Once", "Always here", "Never"]
    await editor.stop()

    later = await open_editor()
    document = later.open(cli.write("halve.cu", HALVE.replace("0.5f", "0.25f")))
    await later.until(lambda: is_run(later))
    assert later.asked == [], "the answer was for good"


@pytest.mark.thorough
async def test_never_is_remembered(cli: Cli, open_editor: Start) -> None:
    editor = await open_editor(answer=lambda question: "Never")
    document = editor.open(cli.write("halve.cu", HALVE))
    await editor.until(lambda: is_compiled(editor, document))
    await editor.until(lambda: editor.asked)
    await editor.quiet()
    await editor.stop()

    later = await open_editor()
    document = later.open(document.path)
    await later.run("kernelopt.check", uri=document.uri)
    await later.until(lambda: any("not run" in message and "Never" in message for message in later.said))
    await later.quiet()
    assert later.asked == [] and not is_run(later) and not is_run(editor)


@pytest.mark.thorough
async def test_no_answer_blocks_nothing_and_a_command_asks_again_after_a_dismissal(cli: Cli, open_editor: Start) -> None:
    editor = await open_editor(answer=lambda question: NO_ANSWER)
    document = editor.open(cli.write("halve.cu", HALVE))
    await editor.until(lambda: editor.asked)
    await editor.until(lambda: is_compiled(editor, document))
    assert [symbol.name for symbol in await editor.symbols(document)] == ["halve"]
    assert not is_run(editor)
    await editor.stop()

    other = await open_editor(answer=lambda question: None)
    document = other.open(document.path)
    await other.until(lambda: other.asked)
    await other.run("kernelopt.check", uri=document.uri)
    await other.until(lambda: any("no consent was given" in message for message in other.said))
    other.answer = lambda question: "Once"
    await other.run("kernelopt.check", uri=document.uri)
    await other.until(lambda: is_run(other))
