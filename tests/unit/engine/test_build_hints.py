"""Where nothing runs a file, or a name is missing that its own build may define: what to do about it."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from assistant.build.flags import DEFAULT_FLAGS
from assistant.engine.evaluate.evaluating import own_build_hint, without_workload
from assistant.engine.reading import read_version
from assistant.engine.request import JobRequest
from assistant.engine.source_version import SourceVersion, as_candidate
from assistant.model.build import Diagnostic, DiagnosticSeverity
from assistant.model.program import FoundProgram, ProgramOrigin
from tests.unit.engine.commands import SCALE

ERROR, WARNING = DiagnosticSeverity.ERROR, DiagnosticSeverity.WARNING


def version(folder: Path, origin: ProgramOrigin = ProgramOrigin.INCLUDES, name: str = "a.cu") -> SourceVersion:
    (folder / name).write_text(SCALE)
    found = read_version(JobRequest(folder / name, folder), DEFAULT_FLAGS)
    return replace(found, found=FoundProgram(name, (folder / name,), origin, ""))


def said(severity: DiagnosticSeverity, *messages: str) -> list[Diagnostic]:
    return [Diagnostic("a.cu", 1, 1, severity, message) for message in messages]


@pytest.mark.parametrize(
    ("diagnostics", "is_hinted"),
    [
        (said(ERROR, "expected ';'", "'BLOCK' was not declared in this scope"), True),
        (said(ERROR, "fused.h: No such file or directory"), True),
        (said(ERROR, "expected ';'"), False),
        (said(WARNING, "'BLOCK' was not declared in this scope"), False),
        ([], False),
    ],
)
def test_a_missing_name_may_be_defined_by_the_projects_own_build(tmp_path: Path, diagnostics: list[Diagnostic], is_hinted: bool) -> None:
    (tmp_path / "Makefile").write_text("all:\n\tnvcc a.cu\n")
    hint = own_build_hint(version(tmp_path), diagnostics)
    assert bool(hint) is is_hinted
    if is_hinted:
        assert hint.startswith("the program was found by its includes, which do not show what your build defines; Makefile was found: ")
        assert str(tmp_path / "a.cu") in hint


def test_the_build_is_not_named_where_it_was_asked_where_there_is_none_and_of_a_candidate(tmp_path: Path) -> None:
    missing = said(ERROR, "'BLOCK' was not declared in this scope")
    assert own_build_hint(version(tmp_path), missing) == ""
    (tmp_path / "Makefile").write_text("all:\n\tnvcc a.cu\n")
    assert own_build_hint(version(tmp_path, ProgramOrigin.RECORDED_BUILD), missing) == ""
    assert own_build_hint(replace(version(tmp_path), found=None), missing) == ""
    assert own_build_hint(as_candidate(version(tmp_path)), missing) == ""


def test_a_text_in_python_has_its_block_written_by_a_command_and_a_notebooks_cell_by_the_editor_alone(tmp_path: Path) -> None:
    (tmp_path / "train.py").write_text(f'import cupy\nk = cupy.RawKernel(r"""{SCALE}""", "scale")\n')
    (tmp_path / "lab.ipynb").touch()
    action = "the editor's action 'declare a workload' writes one into the text"
    for name, remedy in {
        "train.py.scale.cu": f"{action}; in a terminal: kernelopt init {tmp_path / 'train.py.scale.cu'}",
        "lab.ipynb.scale.cu": action,
    }.items():
        request = JobRequest(tmp_path / name, tmp_path, texts=((tmp_path / name, SCALE),))
        failure = without_workload(read_version(request, DEFAULT_FLAGS))
        assert (failure.kind, failure.remedy) == ("no_workload", remedy)
