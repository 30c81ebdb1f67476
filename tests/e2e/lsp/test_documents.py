"""Documents of every kind: any encoding, unsaved, huge, empty, closed or deleted while something runs."""

from __future__ import annotations

import asyncio
import time

import pytest
from lsprotocol import types

from tests.e2e.cli.harness import Cli, alive
from tests.e2e.lsp.capabilities import vscode
from tests.e2e.lsp.conftest import Start
from tests.e2e.lsp.editor import Editor
from tests.e2e.lsp.programs import HALVE, SLEEPY, halves

OFF = {"background": {"compile": "off", "verify": "off", "profile": "off"}}
COMPILE_ONLY = {"background": {"compile": "on_type", "verify": "off", "profile": "off", "pause_s": 0.05}}
VERIFY_ONLY = {"background": {"compile": "off", "profile": "off"}}


@pytest.mark.thorough
@pytest.mark.parametrize("encoding", ["utf-16", "utf-8", "utf-32"])
async def test_a_column_after_emoji_and_cjk_is_right_in_every_encoding(cli: Cli, open_editor: Start, encoding: str) -> None:
    capabilities = vscode()
    assert capabilities.general is not None
    capabilities.general.position_encodings = [types.PositionEncodingKind(encoding)]
    editor = await open_editor(settings=COMPILE_ONLY, capabilities=capabilities)
    assert editor.encoding == encoding
    text = "// 概要 🚀\r\n__global__ void k(float *x)\r\n{\r\n    /* 😀 漢字 */ x[0] = missing_name; // 終\r\n}\r\n"
    document = editor.open(cli.folder / "wide.cu", text)
    (error,) = await editor.until(lambda: editor.errors(document))
    assert editor.part(document, error.range) == "missing_name" and error.range.start.line == 3
    (symbol,) = await editor.symbols(document)
    assert editor.part(document, symbol.selection_range) == "k"
    assert editor.part(document, symbol.range).startswith("__global__") and editor.part(document, symbol.range).endswith("}")
    editor.replace(document, "😀 漢字", "漢字 😀😀")
    await editor.until(lambda: [editor.part(document, item.range) for item in editor.errors(document)] == ["missing_name"])


@pytest.mark.thorough
async def test_an_edit_of_a_file_with_windows_line_ends_is_accepted_with_them(shared_cli: Cli, shared_editor: Start) -> None:
    editor = await shared_editor(settings=OFF)
    document = editor.open(shared_cli.folder / "windows.cu", "__global__ void k(float *x)\r\n{\r\n    x[0] = 1.0f;\r\n}\r\n")
    await editor.run("kernelopt.workload.init", uri=document.uri, kernel="k")
    await editor.until(lambda: editor.applied)
    await editor.until(lambda: "kernelopt" in document.text)
    assert document.text.endswith("{\r\n    x[0] = 1.0f;\r\n}\r\n")


@pytest.mark.thorough
async def test_an_untitled_document_is_compiled(shared_cli: Cli, shared_editor: Start) -> None:
    editor = await shared_editor(settings=COMPILE_ONLY)
    document = editor.open("untitled:Untitled-1", "__global__ void k(float *x) { x[0] = missing_name; }\n")
    (error,) = await editor.until(lambda: editor.errors(document))
    assert editor.part(document, error.range) == "missing_name"
    editor.replace(document, "missing_name", "1.0f")
    await editor.until(lambda: not editor.errors(document))


async def test_the_unsaved_text_is_what_is_compiled(shared_cli: Cli, shared_editor: Start) -> None:
    editor = await shared_editor(settings=COMPILE_ONLY)
    document = editor.open(shared_cli.write("halve.cu", HALVE), HALVE.replace("0.5f", "missing_name"))
    await editor.until(lambda: editor.errors(document))
    editor.type(document, HALVE)
    await editor.until(lambda: not editor.errors(document))
    assert not list(shared_cli.folder.glob("*.tmp"))


async def test_a_source_without_kernels_is_compiled_like_any_other(shared_cli: Cli, shared_editor: Start) -> None:
    editor = await shared_editor(settings=COMPILE_ONLY)
    document = editor.open(shared_cli.write("host.cu", "int main() { return missing_name; }\n"))
    (error,) = await editor.until(lambda: editor.errors(document))
    assert "missing_name" in error.message
    editor.replace(document, "missing_name", "0")
    await editor.until(lambda: not editor.errors(document))


@pytest.mark.thorough
async def test_closing_ends_the_background_job_and_clears_the_notes(shared_cli: Cli, shared_editor: Start) -> None:
    editor = await shared_editor(settings=VERIFY_ONLY)
    document = editor.open(shared_cli.write("sleepy.cu", SLEEPY))
    await editor.until(programs)
    editor.close(document)
    await editor.until(lambda: not programs())
    await editor.until(lambda: no_jobs(editor))
    assert editor.diagnostics(document) == []


@pytest.mark.thorough
async def test_a_file_may_be_deleted_or_renamed_while_a_job_runs(cli: Cli, open_editor: Start) -> None:
    editor = await open_editor(settings=VERIFY_ONLY)
    document = editor.open(cli.write("sleepy.cu", SLEEPY))
    await editor.until(programs)
    await asyncio.to_thread(document.path.rename, cli.folder / "renamed.cu")
    editor.close(document)
    renamed = editor.open(cli.folder / "renamed.cu")
    assert [symbol.name for symbol in await editor.symbols(renamed)] == ["halve"]
    await editor.until(programs)
    await asyncio.to_thread(renamed.path.unlink)
    deleted = types.FileEvent(renamed.uri, types.FileChangeType.Deleted)
    editor.client.workspace_did_change_watched_files(types.DidChangeWatchedFilesParams([deleted]))
    editor.close(renamed)
    await editor.until(lambda: not programs())
    await editor.until(lambda: no_jobs(editor))


def programs() -> list[int]:
    return [process.pid for process in alive() if process.name == "program"]


@pytest.mark.thorough
async def test_twenty_thousand_lines_are_shown_and_typed_in(shared_cli: Cli, shared_editor: Start) -> None:
    editor = await shared_editor(settings=OFF)
    document = editor.open(shared_cli.write("large.cu", halves(3400)))
    assert document.text.count("\n") > 20_000
    assert len(await editor.symbols(document)) == 3400
    begin = time.monotonic()
    for _ in range(5):
        editor.replace(document, "halve_3399", "halve_33990")
        editor.replace(document, "halve_33990", "halve_3399")
    assert "not profiled yet" in await editor.hover(document, document.line_of("__global__ void halve_3399"))
    assert time.monotonic() - begin < 15, "ten keystrokes and an answer; two seconds on a quiet machine"


@pytest.mark.parametrize(
    ("name", "language", "text"),
    [
        ("empty.cu", "cuda-cpp", ""),
        ("host_only.cuh", "cuda-cpp", "inline int one() { return 1; }\n"),
        ("notes.txt", "plaintext", HALVE),
        ("plain.cpp", "cpp", "int main() { return 0; }\n"),
        ("script.py", "python", "print('no kernel here')\n"),
    ],
)
async def test_what_holds_no_kernel_gets_nothing(shared_cli: Cli, shared_editor: Start, name: str, language: str, text: str) -> None:
    editor = await shared_editor()
    document = editor.open(shared_cli.write(name, text), language=language)
    for _ in range(3):
        assert await editor.titles(document) == [] and await editor.hints(document) == {} and await editor.symbols(document) == []
        assert await editor.hover(document, 0) == "" and await editor.actions(document, 0) == []
        await asyncio.sleep(0.2)
    assert editor.diagnostics(document) == [] and editor.events == [] and editor.asked == [] and await no_jobs(editor)


async def no_jobs(editor: Editor) -> bool:
    return await editor.jobs() == []
