"""Programs among the targets of a configured CMake build, and what is said of one that cannot be used as it is."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from assistant.model.program import ProgramOrigin
from tests.unit.program.cmake_replies import CONFIGURED_S, Build, unpack_recorded
from tests.unit.program.conftest import Project

_KERNEL = "__global__ void k() {}\n"
_MAIN = "int main() {}\n"
_LIBRARY = ["lib/src/blur.cu", "lib/src/taps.cu", "lib/src/stats.cu", "lib/src/buffer.cpp"]
_BENCH = ["bench/bench.cu", *_LIBRARY]
_TOOL = ["app/main.cpp", "app/pgm.cpp", *_LIBRARY]


@pytest.fixture
def recorded(copied: Callable[[str], Project]) -> Project:
    """The project ``cmake_targets``, configured in ``build`` for three configurations."""
    project = copied("cmake_targets")
    unpack_recorded(project.root, project.root / "build")
    return project


@pytest.fixture
def small(project: Project) -> Project:
    """An app and a library; the reply is for the test to write."""
    project.write(
        CMakeLists_txt="project(p)", k_h="void k();", app_cu='#include "k.h"\n' + _MAIN, lib__k_cu='#include "../k.h"\n' + _KERNEL
    )
    os.utime(project.root / "CMakeLists.txt", (CONFIGURED_S - 1, CONFIGURED_S - 1))
    return project


def _app(project: Project, folder: str = "build") -> Build:
    build = Build(project, folder).target("app", "app.cu", flags="-O2 -DN=4 -Iinc", links=("-O2", "lib/libk.a", "-lcudart_static"))
    return build.target("k", "lib/k.cu", kind="STATIC_LIBRARY", flags="-DN=4 -std=c++20 -arch=sm_90 -rdc=true", artifact="lib/libk.a")


@pytest.mark.parametrize(
    ("file", "units"),
    [
        ("lib/src/blur.cu", [_BENCH, _TOOL]),
        ("lib/src/taps.cuh", [_BENCH, _TOOL]),
        ("lib/include/imgk/reduce.cuh", [_BENCH, _TOOL]),
        ("bench/bench.cu", [_BENCH]),
        ("app/pgm.h", [_TOOL]),
    ],
)
def test_executables_have_their_own_sources_and_those_of_their_libraries(recorded: Project, file: str, units: list[list[str]]) -> None:
    assert recorded.units(file) == units
    assert {program.origin for program in recorded.find(file).found} == {ProgramOrigin.CMAKE}


def test_a_target_is_compiled_as_cmake_says_and_runs_as_its_test_does(recorded: Project) -> None:
    program = recorded.one("app/main.cpp")
    root = recorded.root
    folders = (f"-I{root}/build/generated", f"-I{root}/lib/include", f"-I{root}/lib/src")
    assert program.flags[:5] == (*folders, "-DIMGK_BLOCK=64", "-DIMGK_BUILDING")
    assert {"-std=c++17", "--expt-relaxed-constexpr", "-Xcompiler=-fPIC"} <= set(program.flags)
    assert program.arguments == ("small.pgm", "2", '--title=a "small" one')
    assert program.working_directory == root / "data"
    assert '-DBENCH_NAME="reduce bench"' in recorded.one("bench/bench.cu").flags


def test_the_configuration_that_was_built_is_taken_and_said(recorded: Project) -> None:
    every = "Debug, Release, RelWithDebInfo"
    assert recorded.one("app/main.cpp").why.startswith(f"CMake's target imgtool in build (Debug of {every}) has app/main.cpp")
    recorded.put("build/RelWithDebInfo/imgtool", "")
    assert f"(RelWithDebInfo of {every})" in recorded.one("app/main.cpp").why
    assert "-DNDEBUG" in recorded.one("app/main.cpp").flags


@pytest.mark.parametrize(
    ("file", "why"),
    [
        ("app.cu", "CMake's target app in build has app.cu"),
        ("lib/k.cu", "CMake's target app in build links k, which has lib/k.cu"),
        ("k.h", "CMake's target app in build has app.cu, which includes k.h"),
        ("inner.h", "CMake's target app in build links k, whose lib/k.cu includes inner.h"),
    ],
)
def test_it_is_said_how_a_target_has_the_file(small: Project, file: str, why: str) -> None:
    small.write(inner_h="int inner;", lib__k_cu='#include "../inner.h"\n' + _KERNEL)
    _app(small).write()
    assert small.one(file).why == why


def test_flags_that_only_name_outputs_and_targets_are_left_out(small: Project) -> None:
    _app(small).write()
    assert small.one("app.cu").flags == (f"-I{small.root}/build/inc", "-DN=4")
    assert small.find("app.cu").problem == ""


def test_objects_and_shared_libraries_of_libraries_belong_to_it(small: Project) -> None:
    small.write(deep_cu=_KERNEL, far_cu=_KERNEL)
    build = Build(small).target("app", "app.cu", links=("-Wl,--as-needed libshared.so.1.2.3",))
    build.target("shared", "lib/k.cu", "build/far.cu.o", kind="SHARED_LIBRARY", artifact="libshared.so", links=("libdeep.a",))
    build.target("deep", "deep.cu", kind="STATIC_LIBRARY", artifact="libdeep.a")
    build.target("objects", "far.cu", kind="OBJECT_LIBRARY", artifact="far.cu.o").target("other", "app.cu").write()
    assert small.units("far.cu") == [["app.cu", "lib/k.cu", "deep.cu", "far.cu"]]
    assert small.units("app.cu")[1] == ["app.cu"]


def test_a_link_line_may_start_in_the_folder_of_its_target(small: Project) -> None:
    build = Build(small).target("app", "app.cu", links=("../lib/libk.a",), place="apps")
    build.target("k", "lib/k.cu", kind="STATIC_LIBRARY", artifact="lib/libk.a").write()
    assert small.units("lib/k.cu") == [["app.cu", "lib/k.cu"]]


def test_a_library_that_is_not_linked_stays_out(small: Project) -> None:
    _app(small).target("tool", "app.cu").write()
    assert [program.name for program in small.find("lib/k.cu").found] == ["app"]


def test_a_main_of_a_library_counts_where_the_executable_has_none(small: Project) -> None:
    small.write(test_cu=_KERNEL, runner_cpp=_MAIN)
    build = Build(small).target("app", "app.cu", links=("librunner.a",)).target("test", "test.cu", links=("librunner.a",))
    build.target("runner", "runner.cpp", "lib/k.cu", kind="STATIC_LIBRARY", artifact="librunner.a").write()
    assert small.units("lib/k.cu") == [["app.cu", "lib/k.cu"], ["runner.cpp", "test.cu", "lib/k.cu"]]


def test_what_no_executable_has_is_looked_for_in_other_places(small: Project) -> None:
    small.write(alone_cu=_KERNEL + _MAIN, test_cu=_KERNEL)
    _app(small).target("test", "test.cu").write()
    search = small.find("alone.cu")
    assert search.found[0].origin is ProgramOrigin.INCLUDES
    assert search.looked_for[1] == "no executable of CMake's build build has alone.cu, or includes it"
    assert "no source of the target test has main()" in small.find("test.cu").looked_for


def test_an_executable_without_kernels_is_no_program(small: Project) -> None:
    small.write(plain_cpp=_MAIN)
    Build(small).target("plain", "plain.cpp").write()
    assert small.find("plain.cpp").found == ()


def test_the_build_that_was_configured_last_answers(small: Project) -> None:
    _app(small).write(CONFIGURED_S)
    _app(small, "cmake-build-debug").write(CONFIGURED_S + 9)
    Build(small, "out/build/other").target("other", "app.cu").write(CONFIGURED_S + 99)
    assert "in cmake-build-debug" in small.one("lib/k.cu").why
    assert "in out/build/other" in small.one("app.cu").why


def test_targets_come_before_compile_commands_and_after_tables(small: Project) -> None:
    _app(small).write()
    small.put("build/compile_commands.json", f'[{{"directory": "{small.root}", "file": "app.cu", "command": "nvcc -c app.cu"}}]')
    assert small.one("app.cu").origin is ProgramOrigin.CMAKE
    small.put("kernelopt.toml", '[program.p]\nsources = ["app.cu"]')
    assert small.one("app.cu").origin is ProgramOrigin.CONFIGURATION


def test_a_build_that_is_older_than_its_lists_is_said(small: Project) -> None:
    _app(small).write(CONFIGURED_S - 9)
    assert small.find("lib/k.cu").problem == "CMake's build build is older than CMakeLists.txt; configure the build again"
    assert len(small.find("lib/k.cu").found) == 1


def test_sources_that_cannot_be_compiled_are_left_out_and_said(small: Project) -> None:
    small.write(plain_f90="end")
    sources = ("app.cu", "lib/k.cu", "gone.cu", "tables.cu", "plain.f90")
    Build(small).target("app", *sources, generated=("tables.cu",)).write()
    search = small.find("app.cu")
    assert [unit.name for unit in search.found[0].units] == ["app.cu", "k.cu"]
    assert search.problem.split("; ") == [
        *("CMake's build build names gone.cu, not there any more, which was left out", "configure the build again"),
        *("CMake's build build makes tables.cu itself and has not yet, which was left out", "build app once"),
        "app also has plain.f90, left out: only CUDA, C++ and C are compiled here",
    ]


def test_macros_that_differ_between_targets_are_said(small: Project) -> None:
    small.write(lib__k_cu="#if N == 8\n#endif\n" + _KERNEL, app_cu="#if N == 4\n#endif\n" + _MAIN)
    build = Build(small).target("app", "app.cu", flags="-DN=4", links=("libk.a",))
    build.target("k", "lib/k.cu", kind="STATIC_LIBRARY", flags="-DN=8", artifact="libk.a").write()
    assert small.find("app.cu").problem.startswith(
        "CMake's build build compiles the units of one program with -DN=4 (app.cu) and -DN=8 (lib/k.cu): N was left out"
    )


def test_a_build_of_another_folder_is_said(small: Project) -> None:
    _app(small).write(source="/moved/away")
    assert (
        "CMake's build build is of /moved/away, which is not there any more; configure the build again" in small.find("lib/k.cu").looked_for
    )


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("index-1.json", "{"),
        ("index-1.json", '{"objects": [3]}'),
        ("codemodel-v2-1.json", "[]"),
        ("codemodel-v2-1.json", '{"paths": {"source": 1, "build": ""}}'),
        ("codemodel-v2-1.json", '{"paths": {"source": "/", "build": "/"}, "configurations": []}'),
        ("target-app.json", '{"id": "app"}'),
        ("target-app.json", "[" * 100_000),
    ],
)
def test_a_damaged_reply_is_said_and_the_search_goes_on(small: Project, name: str, text: str) -> None:
    folder = _app(small).write()
    (folder / ".cmake/api/v1/reply" / name).write_text(text)
    search = small.find("app.cu")
    assert search.found[0].origin is ProgramOrigin.INCLUDES
    assert search.problem.startswith("what CMake left in build cannot be used: ")
    assert search.problem.endswith("; configure the build again")


def test_a_reply_with_a_part_missing_is_said(small: Project) -> None:
    (_app(small).write() / ".cmake/api/v1/reply/target-app.json").unlink()
    assert "its part target-app.json is missing" in small.find("app.cu").problem


def test_a_reply_without_targets_and_a_project_without_a_reply_are_passed_by(small: Project) -> None:
    hint = "CMake left nothing about its targets in the usual build folders: add --configure to have it asked"
    assert hint in small.find("lib/k.cu").looked_for
    (_app(small).write() / ".cmake/api/v1/reply/index-1.json").write_text('{"objects": []}')
    assert small.find("lib/k.cu").problem == ""


def test_flags_that_could_start_programs_are_not_taken(small: Project) -> None:
    Build(small).target("app", "app.cu", "lib/k.cu", flags="-DA=1 -ccbin=evil --keep '-DB=`id`' '-DC=a b'").write()
    assert small.one("app.cu").flags == ("-DA=1", "-DC=a b")


def test_tests_tell_arguments_and_folder(small: Project) -> None:
    folder = _app(small).write()
    (small.root / "data").mkdir()
    _write_tests(
        folder,
        'add_test([=[small one]=] "/usr/bin/mpiexec" "-n" "1" "@BUILD@/app" "a b" [==[--text=\\]==] "\\"q\\\\" "$x;y" plain)',
        f'set_tests_properties([=[small one]=] PROPERTIES  WORKING_DIRECTORY "{small.root}/data" LABELS "gpu")',
        'add_test(second "@BUILD@/app" "other")',
    )
    program = small.one("lib/k.cu")
    assert program.arguments == ("a b", "--text=\\", '"q\\', "$x;y", "plain")
    assert program.working_directory == small.root / "data"
    assert program.why.endswith("; it runs as its test small one does")


def test_tests_of_inner_folders_run_there(small: Project) -> None:
    folder = _app(small).write()
    _write_tests(folder, 'subdirs("sub")\nsubdirs("sub")')
    _write_tests(folder / "sub", 'subdirs(".." "nowhere")', 'ADD_TEST(x "@BUILD@/app")')
    program = small.one("lib/k.cu")
    assert (program.arguments, program.working_directory) == ((), folder / "sub")


def _write_tests(folder: Path, *lines: str) -> None:
    folder.mkdir(exist_ok=True)
    build = folder if (folder / ".cmake").is_dir() else folder.parent
    (folder / "CTestTestfile.cmake").write_text("\n".join(lines).replace("@BUILD@", str(build)))
