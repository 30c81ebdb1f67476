"""The editor's settings: asked for or handed over, applied at once, wrong ones told once."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from lsprotocol import types

from tests.e2e.cli.harness import Cli
from tests.e2e.lsp.capabilities import bare
from tests.e2e.lsp.conftest import Start
from tests.e2e.lsp.editor import Document, Editor
from tests.e2e.lsp.programs import HALVE

OFF = {"background": {"compile": "off", "verify": "off", "profile": "off"}}
COMPILE_ONLY = {"background": {"compile": "on_type", "verify": "off", "profile": "off", "pause_s": 0.05}}
WRONG = HALVE.replace("0.5f", "missing_name")


async def change(editor: Editor, settings: dict[str, Any]) -> None:
    """The person changed the settings; a client that can be asked only says that something changed, some only to who registered."""
    editor.client.set_configuration(settings, section="kernelopt")
    workspace = editor.capabilities.workspace
    changes = workspace.did_change_configuration if workspace else None
    if changes and changes.dynamic_registration:
        await editor.until(lambda: types.WORKSPACE_DID_CHANGE_CONFIGURATION in editor.registered)
    pushed = {} if workspace and workspace.configuration else {"kernelopt": settings}
    editor.client.workspace_did_change_configuration(types.DidChangeConfigurationParams(pushed))


async def registers(editor: Editor, document: Document) -> str:
    return next((text for text in (await editor.origins(document)).values() if "registers" in text), "")


async def test_nothing_runs_that_is_off_and_turning_it_on_starts_it(cli: Cli, open_editor: Start) -> None:
    editor = await open_editor(settings=OFF)
    document = editor.open(cli.write("wrong.cu", WRONG))
    await editor.stays(lambda: not editor.diagnostics(document) and not editor.events, seconds=1.5)
    await change(editor, COMPILE_ONLY)
    await editor.until(lambda: editor.errors(document))
    assert editor.asked == []


async def test_settings_that_an_editor_hands_over_count_as_well(cli: Cli, open_editor: Start) -> None:
    assert cli.run("trust", cli.folder).code == 0
    editor = await open_editor(capabilities=bare(), options={})
    await change(editor, OFF)
    document = editor.open(cli.write("wrong.cu", WRONG))
    await editor.stays(lambda: not editor.diagnostics(document), seconds=1.5)
    await change(editor, COMPILE_ONLY)
    await editor.until(lambda: editor.errors(document))


@pytest.mark.thorough
async def test_a_stage_on_command_runs_when_it_is_asked_for_and_never_else(cli: Cli, open_editor: Start) -> None:
    editor = await open_editor(settings={"background": {"compile": "off", "verify": "on_command", "profile": "on_command"}})
    document = editor.open(cli.write("halve.cu", HALVE))
    editor.replace(document, "0.5f", "0.25f")
    editor.save(document)
    await editor.stays(lambda: not editor.events and not editor.asked, seconds=1.5)
    await editor.run("kernelopt.check", uri=document.uri)
    ended = await editor.until(lambda: [event for event in editor.events if event["event"] == "job_ended"])
    assert len(ended) == 1 and {event["command"] for event in editor.events if event["event"] == "job_started"} == {"check"}


@pytest.mark.thorough
async def test_a_stage_on_save_waits_for_the_save(cli: Cli, open_editor: Start) -> None:
    editor = await open_editor(settings={"background": {**COMPILE_ONLY["background"], "compile": "on_save"}})
    document = editor.open(cli.write("halve.cu", HALVE))
    await editor.until(lambda: registers(editor, document))
    editor.replace(document, "0.5f", "missing_name")
    await editor.stays(lambda: not editor.errors(document), seconds=1.5)
    editor.save(document)
    await editor.until(lambda: editor.errors(document))


@pytest.mark.thorough
async def test_compiler_messages_can_be_left_to_clangd(cli: Cli, open_editor: Start) -> None:
    editor = await open_editor(settings=COMPILE_ONLY)
    document = editor.open(cli.write("wrong.cu", WRONG))
    await editor.until(lambda: editor.errors(document))
    await change(editor, {**COMPILE_ONLY, "diagnostics": {"compiler": "off"}})
    await editor.until(lambda: not editor.errors(document))
    await change(editor, COMPILE_ONLY)
    await editor.until(lambda: editor.errors(document))


async def test_a_wrong_setting_is_reported_once_with_the_nearest_and_the_others_hold(cli: Cli, open_editor: Start) -> None:
    editor = await open_editor(settings={**OFF, "backgroud": {"compile": "on_type"}, "run": {"timeout_s": -1}})
    document = editor.open(cli.write("wrong.cu", WRONG))
    await editor.until(lambda: len(editor.said) == 2)
    await change(editor, {**OFF, "backgroud": {"compile": "on_type"}, "run": {"timeout_s": -1}})
    await editor.stays(lambda: len(editor.said) == 2 and not editor.diagnostics(document))
    value, name = sorted(editor.said, key=lambda message: "unknown" in message)
    assert "unknown setting backgroud" in name and "did you mean background" in name
    assert "run.timeout_s" in value
    await change(editor, OFF)
    await editor.until(lambda: is_right(editor))
    await change(editor, {**OFF, "backgroud": {"compile": "on_type"}})
    await editor.until(lambda: len(editor.said) == 3)


async def is_right(editor: Editor) -> bool:
    return (await editor.ask("kernelopt/status"))["problem"] is None


@pytest.mark.thorough
async def test_each_folder_has_the_settings_of_its_own_file(cli: Cli, open_editor: Start) -> None:
    here, there = cli.folder / "here", cli.folder / "there"
    for folder, target in ((here, "h200"), (there, "a100")):
        folder.mkdir()
        (folder / "kernelopt.toml").write_text(f'target = "{target}"\n')
        (folder / "halve.cu").write_text(HALVE)
    editor = await open_editor(settings=COMPILE_ONLY, folders=(here, there))
    first, second = editor.open(here / "halve.cu"), editor.open(there / "halve.cu")
    await editor.until(lambda: registers(editor, first))
    await editor.until(lambda: registers(editor, second))
    assert "sm_90" in await registers(editor, first) and "sm_80" in await registers(editor, second)


@pytest.mark.thorough
async def test_a_changed_kernelopt_toml_counts_at_once_and_a_wrong_one_is_reported(cli: Cli, open_editor: Start) -> None:
    toml = cli.write("kernelopt.toml", 'target = "h200"\n')
    editor = await open_editor(settings=COMPILE_ONLY)
    document = editor.open(cli.write("halve.cu", HALVE))
    await editor.until(lambda: "sm_90" in str(editor.events) and registers(editor, document))
    await asyncio.to_thread(toml.write_text, 'target = "a100"\n')
    changed = types.FileEvent(toml.as_uri(), types.FileChangeType.Changed)
    editor.client.workspace_did_change_watched_files(types.DidChangeWatchedFilesParams([changed]))
    await editor.until(lambda: is_for(editor, document, "sm_80"))
    await asyncio.to_thread(toml.write_text, 'tarket = "a100"\n')
    editor.client.workspace_did_change_watched_files(types.DidChangeWatchedFilesParams([changed]))
    await editor.until(lambda: any("tarket" in message and "did you mean target" in message for message in editor.said))


async def is_for(editor: Editor, document: Document, architecture: str) -> bool:
    return architecture in await registers(editor, document)


@pytest.mark.thorough
async def test_the_editors_own_target_and_flags_reach_the_compiler(cli: Cli, open_editor: Start) -> None:
    needs_flag = "#ifndef GOOD\n#error no flag\n#endif\n" + HALVE
    editor = await open_editor(settings={**COMPILE_ONLY, "target": "a100", "build": {"flags": ["-DGOOD"]}})
    document = editor.open(cli.write("halve.cu", needs_flag))
    await editor.until(lambda: is_for(editor, document, "sm_80"))
    assert editor.errors(document) == []
    await change(editor, {**COMPILE_ONLY, "target": "h200", "build": {"flags": ["-DGOOD"]}})
    await editor.until(lambda: is_for(editor, document, "sm_90"))
