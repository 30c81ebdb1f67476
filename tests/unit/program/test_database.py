"""Programs among the entries of compile_commands.json, and what is said of a database that cannot be used."""

from __future__ import annotations

import json
import os

import pytest

from assistant.model.program import ProgramOrigin
from assistant.program import database
from tests.unit.program.conftest import Project

_KERNEL = "__global__ void k() {}\n"


def _project(project: Project, **flags: str) -> Project:
    """Three units and a database with the flags of those that are named (``main`` stands for ``main.cu``)."""
    project.write(main_cu='#include "all.h"\nint main() { f(); }', f_cu='#include "all.h"\nvoid f() {}\n' + _KERNEL, inc__all_h="void f();")
    project.write(stray_cu="void f() {}")
    return _database(project, {f"{name}.cu": text for name, text in flags.items()})


def _database(project: Project, flags: dict[str, str], place: str = "compile_commands.json") -> Project:
    root = str(project.root)
    entries = [{"directory": root, "file": file, "command": f"nvcc {text} -c {file} -o x.o"} for file, text in flags.items()]
    project.put(place, json.dumps(entries))
    return project


def test_only_its_entries_are_linked_with_flags_that_they_share(project: Project) -> None:
    program = _project(project, main="-Iinc -O3 -std=c++17 -DN=4", f="-I inc -I other -O3 -G -arch sm_90 -std=c++17 -DN=4").one("f.cu")
    assert [unit.name for unit in program.units] == ["main.cu", "f.cu"]
    assert program.origin is ProgramOrigin.COMPILE_COMMANDS
    assert program.flags == (f"-I{project.root}/inc", f"-I{project.root}/other", "-DN=4", "-O3", "-std=c++17")


def test_flags_of_the_host_compiler_stay_with_it(project: Project) -> None:
    project.write(main_cpp="void f(); int main() { f(); }", f_cu=_KERNEL + "void f() {}")
    _database(project, {"main.cpp": "-march=native -fopenmp -DHOST", "f.cu": "-use_fast_math -Xcompiler=-fPIC"})
    assert project.one("f.cu").flags == ("-DHOST", "-use_fast_math", "-Xcompiler=-fPIC")


def test_macros_that_differ_are_said_and_left_out(project: Project) -> None:
    search = _project(project, main="-Iinc -DN=4", f="-Iinc -DN=8").find("f.cu")
    assert search.found[0].flags == (f"-I{project.root}/inc",)
    assert search.problem == (
        "compile_commands.json compiles the units of one program with -DN=4 (main.cu) and -DN=8 (f.cu): "
        "N was left out; give it with --cflags"
    )


def test_a_macro_of_one_unit_is_taken_where_the_others_never_mention_it(project: Project) -> None:
    assert "-DN=8" in _project(project, main="-Iinc", f="-Iinc -DN=8").one("f.cu").flags
    project.write(main_cu='#include "all.h"\n#ifdef N\n#endif\nint main() { f(); }')
    search = project.find("f.cu")
    assert "-DN=8" not in search.found[0].flags
    assert "with no N (main.cu) and -DN=8 (f.cu)" in search.problem


def test_includes_are_looked_for_where_each_entry_says(project: Project) -> None:
    project.write(a__x_h=_KERNEL, b__x_h=_KERNEL, one_cu="#include <x.h>\nint main() {}", two_cu="#include <x.h>\nint main() {}")
    _database(project, {"one.cu": "-Ia", "two.cu": "-isystem b"})
    assert project.units("a/x.h") == [["one.cu"]]
    assert project.units("b/x.h") == [["two.cu"]]


def test_a_main_counts_under_the_macros_of_its_entry(project: Project) -> None:
    project.write(a_cu=_KERNEL + "#ifdef WITH_MAIN\nint main() {}\n#endif")
    _database(project, {"a.cu": "-DWITH_MAIN"})
    assert project.units("a.cu") == [["a.cu"]]


_FOLDERS = ("", "build/", "out/", "cmake-build-debug/")


@pytest.mark.parametrize("place", [f"{folder}compile_commands.json" for folder in _FOLDERS])
def test_the_database_is_found_where_builds_leave_it(project: Project, place: str) -> None:
    project.write(main_cu=_KERNEL + "int main() {}")
    assert _database(project, {"main.cu": "-DHERE"}, place).one("main.cu").flags == ("-DHERE",)


def test_a_relative_folder_starts_at_the_database(project: Project) -> None:
    project.write(main_cu=_KERNEL + "int main() {}")
    project.put("build/compile_commands.json", '[{"directory": ".", "file": "../main.cu", "arguments": ["nvcc", "-I../inc", "-c"]}]')
    assert project.one("main.cu").flags == (f"-I{project.root}/inc",)


def test_entries_whose_file_is_gone_are_left_out_and_said(project: Project) -> None:
    search = _project(project, main="-Iinc", f="-Iinc", gone="-O3").find("f.cu")
    assert [unit.name for unit in search.found[0].units] == ["main.cu", "f.cu"]
    assert search.problem == "compile_commands.json names sources that are gone, which were left out: gone.cu; configure the build again"


def test_a_file_with_two_entries_has_the_flags_of_the_first(project: Project) -> None:
    _project(project)
    root = str(project.root)
    entries = [
        {"directory": root, "file": name, "command": f"nvcc -Iinc {flag}"}
        for name, flag in (("f.cu", "-DA"), ("f.cu", "-DB"), ("main.cu", ""))
    ]
    project.put("compile_commands.json", json.dumps(entries))
    search = project.find("f.cu")
    assert "-DA" in search.found[0].flags
    assert search.problem == "compile_commands.json has f.cu with different flags; those of its first entry are used"


def test_flags_that_could_start_programs_are_not_taken(project: Project) -> None:
    _project(project)
    _database(project, {"main.cu": "-Iinc --keep -ccbin evil -DA='`id`'", "f.cu": "-Iinc"})
    assert project.one("f.cu").flags == (f"-I{project.root}/inc",)


@pytest.mark.parametrize(
    "text", ["", "{", "{}", "[1]", "[" * 100_000, '[{"file": "a.cu", "command": "nvcc \'"}]', '[{"file": "a.cu", "arguments": 3}]']
)
def test_a_broken_database_is_said_and_the_search_goes_on(project: Project, text: str) -> None:
    project.write(main_cu=_KERNEL + "int main() {}")
    project.put("build/compile_commands.json", text)
    search = project.find("main.cu")
    assert search.found[0].origin is ProgramOrigin.INCLUDES
    assert search.problem.startswith("build/compile_commands.json cannot be used: ")
    assert search.problem.endswith("; configure the build again")


def test_a_database_that_is_no_file_or_too_long_is_said(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    project.write(main_cu=_KERNEL + "int main() {}")
    os.mkfifo(project.root / "compile_commands.json")
    assert (
        project.find("main.cu").problem == "compile_commands.json cannot be used: it is a named pipe, not a file; configure the build again"
    )
    (project.root / "compile_commands.json").unlink()
    monkeypatch.setattr(database, "_MOST_BYTES", 10)
    project.put("compile_commands.json", " " * 11)
    assert "up to 10 are read" in project.find("main.cu").problem


def test_names_that_no_file_can_have_are_stale(project: Project) -> None:
    project.write(main_cu=_KERNEL + "int main() {}")
    project.put("compile_commands.json", '[{"directory": "/", "file": "a\\u0000.cu", "command": "nvcc"}]')
    assert project.units("main.cu") == [["main.cu"]]
    project.put("kernelopt.toml", '[program.p]\nsources = ["a\\u0000*/b.cu"]')
    assert "no file matches" in project.find("main.cu").problem


def test_a_missing_file_with_flags_is_said(project: Project) -> None:
    _project(project, main="-Iinc", f="--options-file includes.rsp")
    assert "includes.rsp cannot be read" in project.find("f.cu").problem


def test_a_file_that_it_does_not_reach_is_looked_for_in_the_workspace(project: Project) -> None:
    _project(project, f="-Iinc").write(other_cu=_KERNEL + "int main() {}")
    search = project.find("other.cu")
    assert search.found[0].origin is ProgramOrigin.INCLUDES
    assert search.looked_for[1] == "no sources of compile_commands.json make a program with other.cu"
