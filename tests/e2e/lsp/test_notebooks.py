"""CUDA in notebook cells and in strings of Python files: everything lands inside the cell or string, and nothing where there is none."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest
from lsprotocol import types

from assistant.memory.store import open_store
from tests.e2e.cli.harness import Cli, quick_text, small_text
from tests.e2e.lsp.capabilities import vscode
from tests.e2e.lsp.conftest import Start
from tests.e2e.lsp.editor import Document, Editor, failure
from tests.e2e.lsp.notebook import Notebook
from tests.e2e.lsp.programs import RACE

COMPILE = {"background": {"compile": "on_type", "verify": "off", "profile": "off", "pause_s": 0.1}}
"""Nothing is run: what is shown is what the compiler said."""
QUIET = {"background": {"compile": "off", "verify": "off", "profile": "off"}}

MISSING = "__global__ void scale(float *x)\n{\n    x[threadIdx.x] *= missing;\n}\n"
BROKEN_STRING = """\
import cupy as cp

scale = cp.RawKernel("extern \\"C\\" __global__ void scale(float *x) /* 漢字 🚀 */ {\\n"
                     "\\tx[threadIdx.x] *= missing;\\n"
                     "}", "scale")
"""
DEDENTED = '''\
import textwrap
from cuda.core import Program

def build():
    return Program(textwrap.dedent("""
        __global__ void scale(float *x)
        {
            // \\t 🚀 \\\\ 漢字
            x[threadIdx.x] *= missing;
        }
        """), "c++")
'''


def parts(editor: Editor, document: Document) -> list[str]:
    """What the errors are about."""
    return [editor.part(document, note.range) for note in editor.errors(document)]


async def until_errors(editor: Editor, document: Document, wanted: list[str]) -> None:
    await editor.until(lambda: parts(editor, document) == wanted)


async def until_hints(editor: Editor, document: Document, lines: list[int]) -> None:
    async def is_so() -> bool:
        return list(await editor.hints(document)) == lines

    await editor.until(is_so)


def with_notebooks(encoding: str | None = None) -> types.ClientCapabilities:
    """An editor that tells of notebooks, as VS Code does."""
    capabilities = vscode()
    capabilities.notebook_document = types.NotebookDocumentClientCapabilities(types.NotebookDocumentSyncClientCapabilities())
    if encoding is not None:
        capabilities.general = types.GeneralClientCapabilities(position_encodings=[types.PositionEncodingKind(encoding)])
    return capabilities


async def completed(editor: Editor, document: Document, before: str) -> list[str]:
    """The names that are offered after the first ``before``."""
    place = editor.position(document.text, document.text.index(before) + len(before))
    identifier = types.TextDocumentIdentifier(document.uri)
    found = await editor.client.text_document_completion_async(types.CompletionParams(identifier, place))
    return [item.label for item in (found if isinstance(found, list) else [])]


def kernel_titles(titles: list[str]) -> list[str]:
    return [title for title in titles if title == "Optimize"]


async def test_the_server_asks_for_notebooks_of_python(open_editor: Start) -> None:
    editor = await open_editor(capabilities=with_notebooks())
    sync = editor.result.capabilities.notebook_document_sync
    assert sync is not None and sync.save
    (selector,) = sync.notebook_selector
    assert {cell.language for cell in selector.cells or ()} == {"python", "cuda-cpp", "cuda"}


async def test_errors_symbols_and_lenses_stand_in_their_cell(shared_cli: Cli, shared_editor: Start) -> None:
    editor = await shared_editor(capabilities=with_notebooks(), settings=COMPILE)
    texts = ["import cupy as cp", "%%cu\n" + MISSING, BROKEN_STRING, 'cp.RawModule(code=f"{code}")', "# RawKernel is only spoken of"]
    notebook = Notebook(editor, shared_cli.folder / "a b.ipynb", texts)
    plain, magic, string, declined, spoken_of = notebook.cells
    await editor.until(lambda: editor.errors(magic) and editor.errors(string) and editor.diagnostics(declined))
    for cell, line in ((magic, 3), (string, 3)):
        (note,) = editor.errors(cell)
        assert parts(editor, cell) == ["missing"] and note.range.start.line == line
        (symbol,) = await editor.symbols(cell)
        assert symbol.name == "scale" and editor.part(cell, symbol.selection_range) == "scale"
        assert await editor.titles(cell) == [f"does not compile: line {line + 1}"], "as the notebook numbers the cell's lines"
    (note,) = editor.diagnostics(declined)
    assert note.severity is types.DiagnosticSeverity.Information and editor.part(declined, note.range) == 'f"{code}"'
    assert "f-string" in note.message
    for cell in (plain, spoken_of, declined):
        assert await editor.titles(cell) == [] and await editor.symbols(cell) == [] and await editor.actions(cell, 0) == []
    assert plain.uri not in editor.client.diagnostics and spoken_of.uri not in editor.client.diagnostics


async def test_names_are_completed_in_cells_and_strings_and_in_files_only_where_a_setting_says_so(
    shared_cli: Cli, shared_editor: Start
) -> None:
    begun = "__global__ void scale(float *values) { val }\n"
    editor = await shared_editor(capabilities=with_notebooks(), settings=COMPILE)
    cell, _ = Notebook(editor, shared_cli.folder / "completed.ipynb", ["%%cu\n" + begun, "values = 1"]).cells
    string = editor.open(shared_cli.write("completed.py", ""), f'import cupy as cp\ncp.RawKernel(r"""{begun}""", "scale")\n', "python")
    file = editor.open(shared_cli.write("completed.cu", begun))
    for document in (cell, string):
        assert await completed(editor, document, "{ val") == ["values"]
    assert await completed(editor, string, "cp.RawK") == [], "Python is completed by others"
    assert await completed(editor, file, "{ val") == []
    both = await shared_editor(capabilities=with_notebooks(), settings={**QUIET, "completion": "on"})
    again = both.open(file.path)
    await both.until(lambda: completed(both, again, "{ val"))


@pytest.mark.thorough
async def test_positions_hold_with_any_line_end_and_escape(cli: Cli, open_editor: Start) -> None:
    editor = await open_editor(capabilities=with_notebooks("utf-8"), settings=COMPILE)
    assert editor.encoding == "utf-8"
    for name, text in (("dedented.py", DEDENTED), ("crlf.py", DEDENTED.replace("\n", "\r\n")), ("escaped.py", BROKEN_STRING)):
        document = editor.open(cli.write(name, text), text, "python")
        await until_errors(editor, document, ["missing"])
        editor.replace(document, "missing", "missing_too")
        await until_errors(editor, document, ["missing_too"])
        editor.replace(document, "missing_too", "2.0f")
        await until_errors(editor, document, [])
        await until_hints(editor, document, [document.line_of("__global__")])


async def test_a_python_file_without_cuda_opens_nothing(cli: Cli, open_editor: Start) -> None:
    editor = await open_editor(capabilities=with_notebooks())
    document = editor.open(cli.write("plain.py", "import numpy as np\n"), language="python")
    notebook = Notebook(editor, cli.folder / "plain.ipynb", ["x = 1", "%%bash\necho __global__"])
    for text in ("import numpy\n", "import numpy\nx = 'RawKernel'\n", "Program = 1\n"):
        editor.type(document, text)
        editor.type(notebook.cells[0], text)
    editor.save(document)
    notebook.save()
    assert await editor.titles(document) == [] and await editor.hints(document) == {} and await editor.hover(document, 0) == ""
    editor.close(document)
    notebook.close()
    assert await editor.ask("kernelopt/list", what="kernels") == []
    assert editor.client.diagnostics == {} and editor.asked == []
    assert {path.name for path in cli.home.iterdir()} == {"cache"}, "no memory was opened"


async def test_a_cell_becomes_cuda_while_it_is_typed_and_stops_being_it(shared_cli: Cli, shared_editor: Start) -> None:
    editor = await shared_editor(capabilities=with_notebooks(), settings=COMPILE)
    notebook = Notebook(editor, shared_cli.folder / "typed.ipynb", [""])
    (cell,) = notebook.cells
    written = "%%cu\n" + MISSING
    for end in range(0, len(written) + 1, 3):
        editor.type(cell, written[:end])
    editor.type(cell, written)
    await editor.until(lambda: parts(editor, cell) == ["missing"])
    editor.replace(cell, "%%cu\n", "#\n")
    await editor.until(lambda: not editor.diagnostics(cell))
    assert await editor.titles(cell) == []


async def test_cells_come_move_and_go(shared_cli: Cli, shared_editor: Start) -> None:
    editor = await shared_editor(capabilities=with_notebooks(), settings=COMPILE)
    notebook = Notebook(editor, shared_cli.folder / "cells.ipynb", ["x = 1", "%%cu\n" + MISSING])
    first = notebook.cells[1]
    await editor.until(lambda: editor.errors(first))
    second = notebook.insert(0, MISSING.replace("scale", "other"), "cuda-cpp")
    await editor.until(lambda: parts(editor, second) == ["missing"])
    coloured = notebook.insert(1, "%%cu\n" + MISSING.replace("scale", "coloured"), "cuda-cpp")
    await editor.until(lambda: parts(editor, coloured) == ["missing"])
    notebook.move_to_front(first)
    editor.replace(first, "missing", "gone")
    await editor.until(lambda: parts(editor, first) == ["gone"])
    notebook.remove(first)
    await editor.until(lambda: not editor.diagnostics(first))
    assert parts(editor, second) == ["missing"]
    listed = await editor.ask("kernelopt/list", what="kernels")
    assert sorted(kernel["name"] for kernel in listed) == ["coloured", "other"]
    notebook.close()
    await editor.until(lambda: not editor.diagnostics(second))
    assert await editor.ask("kernelopt/list", what="kernels") == []


async def test_what_stands_before_a_string_moves_what_is_shown_of_it(shared_cli: Cli, shared_editor: Start) -> None:
    editor = await shared_editor(capabilities=with_notebooks(), settings=COMPILE)
    document = editor.open(shared_cli.write("moved.py", BROKEN_STRING), language="python")
    await editor.until(lambda: editor.errors(document))
    editor.replace(document, "import cupy as cp\n", "import cupy as cp\nimport os\n")
    await editor.until(lambda: [note.range.start.line for note in editor.errors(document)] == [4])
    assert parts(editor, document) == ["missing"]


async def test_the_arguments_of_a_magic_are_no_cuda(shared_cli: Cli, shared_editor: Start) -> None:
    editor = await shared_editor(capabilities=with_notebooks(), settings=COMPILE)
    heads = (
        "%%kernelopt --kernel scale --grid 4 ",
        "%%cu -o '--flag'",
        "%%cuda --name __global__",
        "%%writefile -a sub/scale.cu",
        "%%writefile x.cuh",
    )
    notebook = Notebook(editor, shared_cli.folder / "magics.ipynb", [f"\n{head}\n{MISSING}" for head in heads])
    for cell in notebook.cells:
        await editor.until(lambda cell=cell: editor.errors(cell))
        assert parts(editor, cell) == ["missing"] and editor.errors(cell)[0].range.start.line == 4
        assert await editor.hover(cell, 1) == ""
        assert await editor.actions(cell, 1) == [] and await editor.actions(cell, 2) != []


async def test_two_versions_of_the_same_kernel_are_distinguished(shared_cli: Cli, shared_editor: Start) -> None:
    editor = await shared_editor(capabilities=with_notebooks(), settings=QUIET)
    string = 'import cupy as cp\na = cp.RawKernel(r"""{0}""", "scale")\nb = cp.RawKernel(r"""{0}// again\n""", "scale")\n'
    document = editor.open(shared_cli.write("twice.py", string.format(MISSING)), language="python")
    lenses = [lens for lens in await editor.lenses(document) if lens.command and lens.command.title == "Profile"]
    arguments = [lens.command.arguments[0] for lens in lenses if lens.command and lens.command.arguments]
    assert [argument["kernel"] for argument in arguments] == ["scale(float *)"] * 2
    assert [argument["source"].rpartition("#")[2] for argument in arguments] == ["scale", "scale-2"]
    for argument in arguments:
        await editor.run("kernelopt.profile", **argument)
    await editor.until(lambda: len(editor.said) == 2)
    assert sorted(message.split(":")[0] for message in editor.said) == ["twice.py.scale-2.cu", "twice.py.scale.cu"]


async def test_a_workload_is_declared_inside_the_string(shared_cli: Cli, shared_editor: Start) -> None:
    editor = await shared_editor(capabilities=with_notebooks(), settings=QUIET)
    document = editor.open(shared_cli.write("declared.py", BROKEN_STRING.replace("missing", "2")), language="python")
    (lens,) = [lens for lens in await editor.lenses(document) if lens.command and lens.command.title == "Verify"]
    assert lens.command is not None and lens.command.arguments
    await editor.run("kernelopt.workload.init", **lens.command.arguments[0])
    await editor.until(lambda: editor.applied)
    assert "/* kernelopt" in document.text
    (call,) = [node for node in ast.walk(ast.parse(document.text)) if isinstance(node, ast.Call)]
    code = ast.literal_eval(call.args[0])
    assert code.startswith("/* kernelopt\n") and code.endswith("x[threadIdx.x] *= 2;\n}")


@pytest.mark.thorough
async def test_edits_of_two_cells_outlive_the_server_and_are_decided_apart(cli: Cli, open_editor: Start) -> None:
    transpose = small_text("transpose.cu")
    turn = transpose.replace("transpose(", "turn(").replace("transpose<<<", "turn<<<")
    quoted = turn.replace("\\", "\\\\")
    magic, string = "%%cu --run\n" + quick_text(), f'import cupy as cp\n\nmodule = cp.RawModule(code="""{quoted}""")\n'
    editor = await open_editor(capabilities=with_notebooks(), settings=QUIET)
    notebook = Notebook(editor, cli.folder / "two.ipynb", [magic, string])
    offers = [await offer(editor, cell) for cell in notebook.cells]
    await editor.kill()

    editor = await open_editor(capabilities=with_notebooks(), settings=QUIET)
    second, first = Notebook(editor, cli.folder / "two.ipynb", [string, magic]).cells
    for cell in (first, second):
        await until_offers(editor, cell, 1)
    assert [note.data["proposal_id"] for cell in (first, second) for note in offers_in(editor, cell)] == offers  # pyright: ignore

    preview = await editor.run("kernelopt.proposal.preview", proposal_id=offers[1])
    original = await editor.client.workspace_text_document_content_async(
        types.TextDocumentContentParams(preview["files"][0]["document_uri"])
    )
    assert original.text == turn and Path(preview["files"][0]["proposal_uri"]).name == "two.ipynb.turn.cu"

    for cell, proposal in ((second, offers[1]), (first, offers[0])):
        await editor.run("kernelopt.proposal.accept", proposal_id=proposal)
        await until_offers(editor, cell, 0)
    changes = [change for edit in editor.applied for change in edit.edit.document_changes or ()]
    assert [change.text_document.version for change in changes if isinstance(change, types.TextDocumentEdit)] == [1, 1]
    assert second.text.startswith(string.partition("__global__")[0]) and '\\n", wrong' in second.text and "__shared__" in second.text
    assert first.text.startswith("%%cu --run\n//") and "__shared__" in first.text

    editor.undo(second)
    await until_offers(editor, second, 1)
    editor.redo(second)
    await until_offers(editor, second, 0)
    assert decisions(cli, offers[0]) == ["accepted"]
    assert decisions(cli, offers[1]) == ["accepted", "undone", "accepted"]
    assert list(cli.folder.glob("*.cu")) == [], "no file of the virtual path was made"


async def offer(editor: Editor, cell: Document) -> str:
    """Ask for an edit of the cell's kernel; the proposal's id."""
    commands = [lens.command for lens in await editor.lenses(cell) if lens.command and lens.command.title == "Optimize"]
    (arguments,) = commands[0].arguments or ()
    await editor.run("kernelopt.optimize", **arguments)
    await until_offers(editor, cell, 1)
    (note,) = offers_in(editor, cell)
    assert "__global__" in cell.text.splitlines()[note.range.start.line]
    return note.data["proposal_id"]  # pyright: ignore


def offers_in(editor: Editor, cell: Document) -> list[types.Diagnostic]:
    return [note for note in editor.diagnostics(cell) if note.data]


async def until_offers(editor: Editor, cell: Document, count: int) -> None:
    await editor.until(lambda: len(offers_in(editor, cell)) == count)


def decisions(cli: Cli, proposal: str) -> list[str]:
    """In memory, oldest first."""
    with open_store(cli.home / "memory.sqlite3") as store:
        return [decision.kind.value for decision in store.decisions(proposal)]


async def test_a_race_in_a_cell_is_reported_in_its_line(shared_cli: Cli, shared_editor: Start) -> None:
    editor = await shared_editor(capabilities=with_notebooks())
    notebook = Notebook(editor, shared_cli.folder / "race.ipynb", ["%%cu\n" + RACE])
    (cell,) = notebook.cells
    await editor.until(lambda: editor.of_code(cell, "KO202"))
    found = editor.of_code(cell, "KO202")[0]
    assert editor.part(cell, found.range) == "tile[threadIdx.x]"
    named = f"line {found.range.start.line + 1}"  # with the magic's line, as the notebook counts
    assert any(f"race at {named}" in title for title in await editor.titles(cell)), await editor.titles(cell)


async def test_no_person_is_asked_to_run_a_text_that_says_nothing_of_a_run(shared_cli: Cli, shared_editor: Start) -> None:
    editor = await shared_editor(capabilities=with_notebooks())
    document = editor.open(shared_cli.write("asked.py", BROKEN_STRING.replace("missing", "2")), language="python")
    await until_hints(editor, document, [2])
    await editor.quiet()
    assert editor.asked == []
    (lens,) = [lens for lens in await editor.lenses(document) if lens.command and lens.command.title == "Verify"]
    assert lens.command is not None and lens.command.arguments
    await editor.run("kernelopt.workload.init", **lens.command.arguments[0])
    await editor.until(lambda: editor.applied)
    editor.save(document)
    await editor.until(lambda: editor.asked)
    assert "asked.py.scale.cu" in editor.asked[0].message


async def test_includes_are_looked_for_next_to_the_python_file(shared_cli: Cli, shared_editor: Start) -> None:
    editor = await shared_editor(capabilities=with_notebooks(), settings=COMPILE)
    shared_cli.write("factor.cuh", "#define missing 2.0f\n")
    document = editor.open(
        shared_cli.write("including.py", f'import cupy\ncupy.RawKernel("""#include "factor.cuh"\n{MISSING}""")\n'), language="python"
    )
    await until_hints(editor, document, [2])
    assert editor.diagnostics(document) == []


async def test_an_edit_that_would_change_another_kernel_too_is_refused_with_the_reason(shared_cli: Cli, shared_editor: Start) -> None:
    editor = await shared_editor(capabilities=with_notebooks(), settings=QUIET)
    text = f'import cupy\ns = r"""{MISSING}"""\na = cupy.RawKernel(s, "scale")\nb = cupy.RawKernel("#define missing 2\\n" + s, "scale")\n'
    document = editor.open(shared_cli.write("shared.py", text), language="python")
    commands = [lens.command for lens in await editor.lenses(document) if lens.command and lens.command.title == "Verify"]
    arguments = [argument for command in commands for argument in command.arguments or ()]
    assert [argument["source"].rpartition("#")[2] for argument in arguments] == ["scale", "scale-2"]
    said = await failure(editor, "kernelopt.workload.init", **arguments[0])
    assert "shared.py.scale" in said and "belongs to another CUDA text too" in said
    assert editor.applied == [] and document.text == text


@pytest.mark.thorough
async def test_a_pair_session_answers_the_save_of_a_notebook(cli: Cli, open_editor: Start) -> None:
    editor = await open_editor(capabilities=with_notebooks(), settings=QUIET)
    notebook = Notebook(editor, cli.folder / "pair.ipynb", ["x = 1", "%%cu\n" + small_text("transpose.cu")])
    cell = notebook.cells[1]
    (arguments, *_) = [argument for lens in await editor.lenses(cell) if lens.command for argument in lens.command.arguments or ()]
    await editor.run("kernelopt.pair.start", **arguments)
    original = cell.text
    editor.replace(cell, "in[y * width + x];\n    }", "in[y * width + x] + 1.0f;\n    }")
    notebook.save()

    async def is_answered() -> bool:
        return any("FAIL" in title for title in await editor.titles(cell))

    await editor.until(is_answered)
    await editor.run("kernelopt.pair.back", **arguments)
    await editor.until(lambda: cell.text == original)


@pytest.mark.thorough
async def test_a_cell_includes_what_another_cell_writes(shared_cli: Cli, shared_editor: Start) -> None:
    editor = await shared_editor(capabilities=with_notebooks(), settings=COMPILE)
    header = "%%writefile sub/factor.cuh\n#pragma once\n__device__ float factor(float x) { return 2 * x; }\n"
    kernel = '%%cu\n#include "sub/factor.cuh"\n__global__ void scale(float *x) { x[threadIdx.x] = factor(x[threadIdx.x]); }\n'
    notebook = Notebook(editor, shared_cli.folder / "written.ipynb", [kernel])
    (cell,) = notebook.cells
    await editor.until(lambda: "sub/factor.cuh: No such file" in " ".join(note.message for note in editor.errors(cell)))
    written = notebook.insert(0, header)
    await editor.until(lambda: not editor.errors(cell))
    for before, after in (("sub/factor", "sub/other"), ("float factor", "float other")):  # the file's name, then a function's
        editor.replace(written, before, after)
        await editor.until(lambda: "factor" in " ".join(note.message for note in editor.errors(cell)))
        editor.replace(written, after, before)
        await editor.until(lambda: not editor.errors(cell))
    assert not (shared_cli.folder / "sub").exists(), "nothing was written"
