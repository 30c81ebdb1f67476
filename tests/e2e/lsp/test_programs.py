"""Projects of several files in an editor: a header, or a source without `main()`, is asked about in the program that runs it."""

from __future__ import annotations

import asyncio
import json
import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from lsprotocol import types

from lsp.client import as_object, plain
from tests.e2e.cli.harness import COMMAND, DATA, Cli
from tests.e2e.cli.test_programs import MAIN, OPS, RUN
from tests.e2e.cli.two_launches import ONLY_SQUARE, TURN, write_project
from tests.e2e.lsp.capabilities import neovim
from tests.e2e.lsp.conftest import Start
from tests.e2e.lsp.editor import Document, Editor, failure

QUIET = {"background": {"compile": "off", "verify": "off", "profile": "off"}}
"""Settings under which nothing runs unasked."""
CHECKED = {"background": {"compile": "off", "verify": "on_save", "profile": "off", "pause_s": 0.05}}


def project(cli: Cli, name: str) -> Path:
    """A copy of one of the projects, as a workspace."""
    folder = cli.folder / name
    shutil.copytree(DATA / "programs" / name, folder)
    (folder / "kernelopt.toml").touch()
    return folder


def consent(question: types.ShowMessageRequestParams) -> str:
    """To run the program; of several the first."""
    return question.actions[0].title if question.actions else ""


async def via(editor: Editor, document: Document) -> list[str]:
    """Lenses that name a program, or ask for one."""
    return [title for title in await editor.titles(document) if title.startswith("via ") or "programs run" in title]


async def is_run_by(editor: Editor, document: Document, main: str) -> bool:
    """The lens names this program, and no other."""
    return await via(editor, document) == [f"via {main}"]


async def figures(editor: Editor, document: Document) -> list[str]:
    """Lenses with what a profile counted."""
    return [title for title in await editor.titles(document) if "-bound" in title]


async def counted_lines(editor: Editor, document: Document) -> set[int]:
    """0-based lines with counters: what the heat is made of."""
    lines: Sequence[dict[str, Any]] = await editor.ask("kernelopt/lines", uri=document.uri, version=document.version)
    return {line["line"] for line in lines}


def changed(editor: Editor, path: Path) -> None:
    """The file changed on disk, and the editor, which watches files, says so."""
    event = types.FileEvent(path.as_uri(), types.FileChangeType.Changed)
    editor.client.workspace_did_change_watched_files(types.DidChangeWatchedFilesParams([event]))


@pytest.mark.thorough
async def test_a_header_is_asked_about_in_the_program_that_includes_it(shared_cli: Cli, shared_editor: Start) -> None:
    folder = project(shared_cli, "header_kernel")
    editor = await shared_editor(settings=QUIET)
    header = editor.open(folder / "scale.cuh")
    assert await editor.until(lambda: via(editor, header)) == ["via main.cu"]
    (lens,) = [lens for lens in await editor.lenses(header) if lens.command and lens.command.title == "via main.cu"]
    assert lens.command is not None and "main.cu includes scale.cuh" in str(lens.command.tooltip)
    line = header.line_of("__global__")
    assert "main.cu includes scale.cuh" in await editor.hover(header, line)
    assert sum(len(title) + 3 for title in (await editor.titles(header))[:4]) <= 60, "a row that fits"
    await editor.run("kernelopt.profile", uri=header.uri, kernel="scale_kernel")
    await editor.until(lambda: figures(editor, header))
    assert line + 3 in await counted_lines(editor, header)
    assert len(editor.asked) == 1 and "main.cu" in editor.asked[0].message, "what is run is what is asked about"

    main = editor.open(folder / "main.cu")
    runs, search = await editor.until(lambda: editor.lenses(main))
    assert runs.command is not None and runs.command.title == "runs scale_kernel"
    assert search.command is not None and search.command.title == "Optimize"
    assert runs.range.start.line == main.line_of("int main"), "a file without a kernel leads to those of its program"
    arguments = as_object(plain((runs.command.arguments or [None])[0]))
    assert (arguments["uri"], arguments["line"]) == (header.uri, line + 1)
    assert await editor.run(runs.command.command, **arguments) == {"outcome": "opening"}
    (shown,) = await editor.until(lambda: editor.client.shown_documents)
    assert shown.uri == header.uri and shown.selection is not None and shown.selection.start.line == line


PLAIN = '#pragma once\n// no __global__ function here\nstruct Options { int rows; const char* name = "__device__"; };\n'
FIELD_HPP = """#pragma once
#include "options.h"
template <class T> class Field {
 public:
    explicit Field(int n) : n_(n) { cudaMallocManaged(&data_, n * sizeof(T)); }
    void twice();
    T* data_; int n_;
};
#include "detail/field.inl"
"""
FIELD_INL = """template <class T> __global__ void
twice_kernel(T* data, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) data[i] *= T(2);
}
template <class T> void Field<T>::twice() { twice_kernel<<<(n_ + 63) / 64, 64>>>(data_, n_); }
"""
FIELD_MAIN = """#include <cstdio>
#include "include/field.hpp"
int main() {
    Field<float> field(500);
    for (int i = 0; i < 500; i++) field.data_[i] = i;
    field.twice();
    cudaDeviceSynchronize();
    printf("%g\\n", field.data_[499]);
}
"""


async def test_cuda_in_a_cpp_header_is_shown_and_a_header_without_costs_nothing(shared_cli: Cli, shared_editor: Start) -> None:
    """Editors say `cpp` of all of them; the text says which is CUDA, and typing may make one so, or no more so."""
    shared_cli.write("kernelopt.toml", "")
    shared_cli.write("solve.cu", FIELD_MAIN)
    (shared_cli.folder / "include" / "detail").mkdir(parents=True)
    plain_path, field_path, inner_path = (
        shared_cli.write(f"include/{name}", text)
        for name, text in (("options.h", PLAIN), ("field.hpp", FIELD_HPP), ("detail/field.inl", FIELD_INL))
    )
    editor = await shared_editor(settings=QUIET)
    plain, field = (editor.open(path, language="cpp") for path in (plain_path, field_path))
    inner = editor.open(inner_path, language="cpp")
    await editor.until(lambda: is_run_by(editor, inner, "solve.cu"))
    assert [symbol.name for symbol in await editor.symbols(inner)] == ["twice_kernel"]
    await editor.run("kernelopt.profile", uri=inner.uri, kernel="twice_kernel")
    await editor.until(lambda: figures(editor, inner))
    assert inner.line_of("data[i] *=") in await counted_lines(editor, inner)
    assert {lens.title for lens in await editor.actions(inner, inner.line_of("twice_kernel(T*"))}
    for other in (plain, field):
        assert (await editor.titles(other), await editor.symbols(other), editor.diagnostics(other)) == ([], [], [])
        assert await editor.actions(other, 1) == []
    assert "not" in await failure(editor, "kernelopt.profile", uri=plain.uri)
    editor.type(field, f"{FIELD_HPP}\n__global__ void once(float* x) {{ x[0] = 1; }}\n")
    assert [symbol.name for symbol in await editor.symbols(field)] == ["once"]
    editor.type(field, FIELD_HPP)
    assert (await editor.titles(field), await editor.symbols(field)) == ([], [])


def agrees(question: types.ShowMessageRequestParams) -> str:
    """To whatever is to be run, this once."""
    return "Once"


def refuses_make(question: types.ShowMessageRequestParams) -> str:
    return "Once" if "make nothing" in question.message else "Never"


async def program_action(editor: Editor, document: Document) -> types.CodeAction | None:
    """That has a build say more."""
    titled = [action for action in await editor.actions(document, document.line_of("__global__")) if "to see what runs" in action.title]
    return titled[0] if titled else None


async def run_action(editor: Editor, action: types.CodeAction) -> dict[str, Any]:
    assert action.command is not None and action.command.arguments is not None
    arguments: dict[str, Any] = as_object(plain(action.command.arguments[0]))
    return await editor.run(action.command.command, **arguments)


@pytest.mark.thorough
async def test_a_build_is_recorded_by_an_action_and_used_at_once(shared_cli: Cli, shared_editor: Start) -> None:
    """The make file says which of the sources belong together; what it links runs the kernels from then on."""
    folder = project(shared_cli, "makefile_library")
    editor = await shared_editor(settings=QUIET, answer=agrees)
    square = editor.open(folder / "src" / "square.cu")
    action = await editor.until(lambda: program_action(editor, square))
    assert action.title == "kernelopt: record the build (make), to see what runs these kernels"
    assert await editor.ask("kernelopt/list", what="builds", uri=square.uri)
    assert (await run_action(editor, action))["command"] == "make"
    await editor.until(lambda: any("recorded: make links demo" in text for text in editor.said))
    assert [asked.message for asked in editor.asked] == [
        f"kernelopt wants to run make once, in a private copy of {folder}, to see what it compiles and links. Run it?"
    ]
    await editor.until(lambda: is_run_by(editor, square, "demo (recorded)"))
    assert await program_action(editor, square) is None, "nothing is left to be said by it"
    assert "not found" not in await failure(editor, "kernelopt.program.record", uri="file:///w/none.cu")


async def test_without_consent_no_build_runs_and_a_failing_one_says_why(shared_cli: Cli, shared_editor: Start) -> None:
    folder = project(shared_cli, "makefile_library")
    editor = await shared_editor(settings=QUIET, answer=refuses_make)
    square = editor.open(folder / "src" / "square.cu")
    await editor.until(lambda: program_action(editor, square))
    await editor.run("kernelopt.program.record", uri=square.uri)
    await editor.until(lambda: any("make was not run: no consent was given" in text for text in editor.said))
    assert not (folder / ".kernelopt" / "builds.json").exists()
    await editor.run("kernelopt.program.record", uri=square.uri, command="make nothing")
    await editor.until(lambda: any("make nothing ended with status 2" in text for text in editor.said))


@pytest.mark.thorough
async def test_a_cmake_project_is_configured_by_an_action(shared_cli: Cli, shared_editor: Start) -> None:
    folder = project(shared_cli, "cmake_header")
    editor = await shared_editor(settings=QUIET, answer=agrees)
    header = editor.open(folder / "include" / "vec" / "scale.cuh")
    action = await editor.until(lambda: program_action(editor, header))
    assert action.title == "kernelopt: configure the CMake project, to see what runs these kernels"
    await run_action(editor, action)
    await editor.until(lambda: is_run_by(editor, header, "bench (CMake)"))
    assert len(editor.asked) == 1 and f"run cmake {folder}, to see what the project builds" in editor.asked[0].message


@pytest.mark.thorough
async def test_a_build_recorded_in_a_terminal_is_used_in_the_editor(shared_cli: Cli, shared_editor: Start) -> None:
    folder = project(shared_cli, "makefile_library")
    editor = await shared_editor(settings=QUIET)
    square = editor.open(folder / "src" / "square.cu")
    await editor.until(lambda: program_action(editor, square))
    words = (*COMMAND, "program", "src/square.cu", "--record", "make")
    terminal = await asyncio.create_subprocess_exec(*words, cwd=folder, env=shared_cli.environment())
    assert await terminal.wait() == 0
    changed(editor, folder / ".kernelopt" / "builds.json")
    await editor.until(lambda: is_run_by(editor, square, "demo (recorded)"))


@pytest.mark.thorough
async def test_an_edit_is_judged_in_every_program_where_the_editor_says_so(shared_cli: Cli, shared_editor: Start) -> None:
    """A person is asked about each program, and the worst verdict is that of the edit."""
    header_path = write_project(shared_cli, "")
    editor = await shared_editor(settings=QUIET | {"verification": {"in_every_program": True}}, answer=agrees)
    header = editor.open(header_path)
    await editor.until(lambda: is_run_by(editor, header, "square.cu"))
    editor.type(header, ONLY_SQUARE)
    await editor.run("kernelopt.verify", uri=header.uri, before=TURN)
    await editor.until(lambda: any("FAIL" in text for text in editor.said))
    asked = [question.message for question in editor.asked if "wants to build and run" in question.message]
    assert len(asked) == 2 and all(sum(name in question for question in asked) == 1 for name in ("square.cu", "wide.cu"))
    assert any("wide.cu" in text for text in editor.said), editor.said


async def test_which_of_several_programs_is_meant_is_asked_once(shared_cli: Cli, shared_editor: Start) -> None:
    folder = project(shared_cli, "shared_header")
    editor = await shared_editor(settings=QUIET)
    header = editor.open(folder / "common.cuh")
    assert await editor.until(lambda: via(editor, header)) == ["2 programs run this · Choose"]
    editor.answer = lambda question: "check_transpose.cu" if "is part of" in question.message else "Once"
    await editor.run("kernelopt.check", uri=header.uri)
    await editor.until(lambda: any(text.startswith("common.cuh:") for text in editor.said))
    asked = [question.message for question in editor.asked if "is part of" in question.message]
    assert asked == ["common.cuh is part of 2 programs. Which one runs its kernels?"]
    await editor.until(lambda: is_run_by(editor, header, "check_transpose.cu"))
    editor.answer = consent
    assert json.loads((folder / ".kernelopt" / "programs.json").read_text()) == {"common.cuh": "check_transpose.cu"}
    assert shared_cli.run("program", folder / "common.cuh").out.count("chosen") == 1, "the command line knows it too"


@pytest.mark.thorough
async def test_an_editor_without_lenses_chooses_by_an_action_and_a_terminal_changes_it(shared_cli: Cli, shared_editor: Start) -> None:
    folder = project(shared_cli, "shared_header")
    editor = await shared_editor(settings=QUIET, capabilities=neovim())
    header = editor.open(folder / "common.cuh")
    line = header.line_of("__global__")

    async def offered() -> dict[str, types.CodeAction]:
        return {action.title: action for action in await editor.actions(header, line) if "to run these kernels" in action.title}

    offers = await editor.until(offered)
    assert list(offers) == [f"kernelopt: use {name}_transpose.cu to run these kernels" for name in ("bench", "check")]
    command = offers["kernelopt: use bench_transpose.cu to run these kernels"].command
    assert command is not None and command.arguments is not None
    await editor.run(command.command, **command.arguments[0])
    await editor.until(lambda: is_run_by(editor, header, "bench_transpose.cu"))
    assert editor.asked == []
    assert list(await offered()) == ["kernelopt: use check_transpose.cu to run these kernels"]
    assert shared_cli.run("program", header.path, "--use", "check_transpose.cu").code == 0
    changed(editor, folder / ".kernelopt" / "programs.json")
    await editor.until(lambda: is_run_by(editor, header, "check_transpose.cu"))


@pytest.mark.thorough
async def test_what_a_job_on_the_file_with_main_says_of_a_header_is_shown_there(shared_cli: Cli, shared_editor: Start) -> None:
    folder = project(shared_cli, "three_units")
    editor = await shared_editor(settings=QUIET)
    sums, main = editor.open(folder / "sums.cu"), editor.open(folder / "main.cu")
    await editor.run("kernelopt.profile", uri=main.uri)
    await editor.until(lambda: figures(editor, sums))
    own = {sums.line_of("part[t] = i"), sums.line_of("part[t] += part")}
    assert own <= await counted_lines(editor, sums) and not await counted_lines(editor, main)
    assert "KO" in "".join(editor.codes(sums)) or await editor.hints(sums)


async def test_findings_on_a_headers_kernel_are_published_under_the_header(shared_cli: Cli, shared_editor: Start) -> None:
    """Whether it is open or not, once another file of its program was saved; opened, it has them as its own."""
    shared_cli.write("kernelopt.toml", "")
    shared_cli.write("run.cu", RUN)
    path = shared_cli.write("ops.cuh", OPS)
    editor = await shared_editor(settings={"background": {"compile": "off", "verify": "off", "profile": "on_save", "pause_s": 0.05}})
    own = "__global__ void one(double *v) { v[threadIdx.x] += 1.0; }\n"
    main = editor.open(shared_cli.write("main.cu", own + MAIN.replace("grow_all(v, n);\n ", "grow_all(v, n);\n    one<<<1, 32>>>(v);\n ")))
    editor.save(main)

    def found() -> list[types.Diagnostic]:
        return [item for item in editor.client.diagnostics.get(path.as_uri(), []) if item.code == "KO116"]

    (finding,) = await editor.until(found, 60)
    line = OPS[: OPS.index("pow")].count("\n")
    assert finding.range.start.line == line and not editor.of_code(main, "KO116")
    header = editor.open(path)
    await editor.run("kernelopt.profile", uri=main.uri)
    await editor.until(lambda: figures(editor, header))
    assert [item.range.start.line for item in editor.of_code(header, "KO116")] == [line]
    editor.close(header)
    await editor.quiet()
    editor.close(main)
    await editor.until(lambda: not found())


@pytest.mark.thorough
async def test_a_file_of_the_program_that_is_saved_has_its_header_checked_again(shared_cli: Cli, shared_editor: Start) -> None:
    folder = project(shared_cli, "header_kernel")
    editor = await shared_editor(settings=CHECKED)
    main = folder / "main.cu"
    right = main.read_text()
    header = editor.open(folder / "scale.cuh")
    await editor.until(lambda: "check" in {event.get("event") for event in editor.events} or editor.asked)
    await editor.quiet()
    assert editor.errors(header) == []
    main.write_text(right.replace("cudaMalloc((void **)&y, n * sizeof(float))", "cudaMalloc((void **)&y, n * 2)"))
    changed(editor, main)
    (error, *_) = await editor.until(lambda: editor.errors(header))
    assert error.range.start.line == header.line_of("y[i] = a")
    editor.replace(header, "if (i < n)", "if (i < n / 2)")
    editor.save(header)
    await editor.until(lambda: not editor.errors(header))


async def test_where_no_program_is_found_the_hover_says_what_was_looked_for(shared_cli: Cli, shared_editor: Start) -> None:
    folder = project(shared_cli, "header_kernel")
    main = folder / "main.cu"
    text = main.read_text()
    main.unlink()
    editor = await shared_editor(settings=QUIET)
    header = editor.open(folder / "scale.cuh")
    line = header.line_of("__global__")

    async def says_what() -> bool:
        return "none of 0 sources" in await editor.hover(header, line)

    await editor.until(says_what)
    assert await via(editor, header) == []
    assert await editor.titles(header) == ["Declare a workload", "no program runs this"]
    main.write_text(text)
    changed(editor, main)
    assert await editor.until(lambda: via(editor, header)) == ["via main.cu"]


@pytest.mark.thorough
async def test_a_proposal_for_a_kernel_in_a_header_is_accepted_and_undone_there(shared_cli: Cli, shared_editor: Start) -> None:
    shared_cli.write("kernelopt.toml", "")
    shared_cli.write("run.cu", RUN)
    editor = await shared_editor(settings=QUIET)
    main = editor.open(shared_cli.write("main.cu", MAIN))
    header_path = shared_cli.write("ops.cuh", OPS)
    await editor.run("kernelopt.optimize", uri=main.uri)
    question = await editor.until(lambda: next((asked for asked in editor.asked if "ops.cuh" in asked.message), None))
    assert [action.title for action in question.actions or ()] == ["Open ops.cuh"]
    header = editor.open(header_path)

    async def offered() -> bool:
        return "Review" in await editor.titles(header)

    await editor.until(offered)
    assert "Review" not in await editor.titles(main)
    (listed,) = await editor.ask("kernelopt/list", what="proposals")
    await editor.run("kernelopt.proposal.accept", proposal_id=listed["id"])
    await editor.until(lambda: "pow" not in header.text)
    assert main.text == MAIN
    await editor.until(lambda: not any(note.data for note in editor.diagnostics(header)))
    editor.undo(header)
    assert header.text == OPS
    await editor.until(offered)
    decisions = await editor.ask("kernelopt/list", what="decisions")
    assert [decision["kind"] for decision in decisions] == ["undone", "accepted"]
    assert {decision["uri"] for decision in decisions} == {header.uri}
