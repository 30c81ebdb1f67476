"""Which of the programs that a file is part of is meant, and what is said where that is not clear."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from assistant.engine.programs import FilePrograms, find_extension, python_remedy, without_script
from assistant.engine.request import JobRequest
from assistant.errors import CannotAnswerError
from assistant.model.build import Flags
from assistant.model.program import FoundProgram, ProgramOrigin, ProgramSearch

FILE = Path("/p/k.cuh")


def program(name: str, origin: ProgramOrigin = ProgramOrigin.INCLUDES, **more: Any) -> FoundProgram:
    return FoundProgram(name, (Path(f"/p/{name}"),), origin, "why", **more)


def programs(*names: str, chosen: str | None = None, hint: str = "", **search: Any) -> FilePrograms:
    return FilePrograms(FILE, ProgramSearch(tuple(map(program, names)), **search), chosen, hint=hint)


@pytest.mark.parametrize(
    ("found", "meant"),
    [
        (programs(), None),
        (programs("a.cu"), "a.cu"),
        (programs("a.cu", "b.cu"), None),
        (programs("a.cu", "b.cu", chosen="b.cu"), "b.cu"),
        (programs("a.cu", "b.cu", chosen="gone.cu"), None),
        (programs("a.cu", chosen="gone.cu"), "a.cu"),
    ],
)
def test_the_chosen_one_is_meant_while_it_is_found_else_the_only_one(found: FilePrograms, meant: str | None) -> None:
    assert (found.program.name if found.program else None) == meant


@pytest.mark.parametrize(
    ("origin", "problem", "hint", "unclear"),
    [
        (ProgramOrigin.INCLUDES, "a table is damaged", "record the build", "a table is damaged; record the build"),
        (ProgramOrigin.INCLUDES, "", "record the build", "record the build"),
        (ProgramOrigin.CMAKE, "", "record the build", ""),
        (ProgramOrigin.CMAKE, "a table is damaged", "record the build", "a table is damaged"),
    ],
)
def test_what_is_unclear_comes_with_it_and_a_hint_only_where_includes_alone_made_it(
    origin: ProgramOrigin, problem: str, hint: str, unclear: str
) -> None:
    found = FilePrograms(FILE, ProgramSearch((program("a.cu", origin),), problem=problem), hint=hint)
    assert found.program is not None and found.program.unclear == unclear
    assert found.settled() == found.program


@pytest.mark.parametrize(
    ("found", "said", "remedy"),
    [
        (programs(problem="a table is damaged"), "a table is damaged", f"kernelopt program {FILE} shows what is found"),
        (programs(problem="a table is damaged", hint="record the build"), "a table is damaged", "record the build"),
        (
            programs("a.cu", "b.cu"),
            r"k\.cuh is part of 2 programs \(a\.cu, b\.cu\), and none of them was chosen",
            f"kernelopt program {FILE} --use a.cu chooses one",
        ),
    ],
)
def test_where_none_can_be_taken_it_says_what_to_do(found: FilePrograms, said: str, remedy: str) -> None:
    with pytest.raises(CannotAnswerError, match=said) as caught:
        found.settled()
    assert caught.value.remedy == remedy


def test_a_file_that_belongs_to_none_is_compiled_by_itself_where_its_includes_need_folders() -> None:
    assert programs().settled() is None
    alone = programs(flags=("-I/p/include",)).settled()
    assert alone == FoundProgram("k.cuh", (FILE,), ProgramOrigin.INCLUDES, "k.cuh belongs to no program", flags=("-I/p/include",))


def test_of_an_extension_only_the_sources_own_unit_is_needed_and_never_its_script() -> None:
    files = (Path("/p/a.cu"), Path("/p/b.cu"))
    found = program("ext", ProgramOrigin.EXTENSION, build_command=("python", "setup.py"), run_command=("python", "train.py"))
    found = FoundProgram(**{**vars(found), "units": files})
    own = without_script(found, files[1])
    assert own is not None and (own.units, own.build_command, own.run_command) == ((files[1],), None, None)
    header = without_script(found, FILE)
    assert header is not None and header.units == files, "a header has no unit of its own"
    assert without_script(program("a.cu"), FILE) is None and without_script(None, FILE) is None


SETUP = """\
from torch.utils.cpp_extension import CUDAExtension
from setuptools import setup
setup(name="ext", ext_modules=[CUDAExtension("ext", ["k.cu"], extra_compile_args={"nvcc": ["-DWIDE=2"]})])
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("KERNELOPT_HOME", str(tmp_path / "home"))
    (tmp_path / "kernelopt.toml").write_text("")
    (tmp_path / "k.cu").write_text("__global__ void k(float *x) { *x = 1; }\n")
    return tmp_path


def test_an_extension_gives_its_flags_to_the_file_that_is_one_of_its_sources(folder: Path) -> None:
    assert find_extension(JobRequest(folder / "k.cu", folder), Flags()) is None
    (folder / "setup.py").write_text(SETUP)
    found = find_extension(JobRequest(folder / "k.cu", folder), Flags())
    assert found is not None and "-DWIDE=2" in found.flags and found.units == (folder / "k.cu",)


def test_a_python_file_that_builds_an_extension_names_its_cuda_sources(folder: Path) -> None:
    (folder / "train.py").write_text("from torch.utils.cpp_extension import load\next = load(name='ext', sources=['k.cu'])\n")
    words = python_remedy(JobRequest(folder / "train.py", folder), Flags())
    assert words == f"it runs the PyTorch extension ext: name a CUDA source of that: {folder / 'k.cu'}"
