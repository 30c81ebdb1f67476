"""Real builds by make, ninja and a shell, recorded where there is no CUDA toolkit: all goes on to its end, and every call is noted."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.integration.recorder.conftest import Record

_MAIN = "#include <cuda_runtime.h>\n__global__ void k() {}\nint main() { k<<<1, 1>>>(); }\n"


def _calls(reply: dict[str, Any]) -> list[tuple[str, str, str | None]]:
    """(tool, action, name of what it left)"""
    calls = [(noted["tool"], noted["call"]) for noted in reply["calls"]]
    return [(tool, call["action"], call["output"] and Path(call["output"]).name) for tool, call in calls]


def _files(folder: Path) -> list[str]:
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*"))


def test_a_makefile_with_a_library_is_followed_to_its_program(record: Record, copied: Callable[[str], Path]) -> None:
    folder = copied("makefile_library")
    before = _files(folder)
    reply = record(folder, "make", "-j2")
    assert (reply["exit_status"], reply["has_toolkit"]) == (0, False), reply["output"]
    assert sorted(_calls(reply)[:-3], key=str) == [
        *(("g++", "compile", "args.o"),),
        *(("nvcc", "compile", f"{name}.o") for name in ("main", "reduce", "square", "weight")),
    ]
    assert _calls(reply)[-3:] == [("ar", "archive", "libvec.a"), ("nvcc", "device link", "dlink.o"), ("g++", "link", "demo")]
    assert {unit["source"] for noted in reply["calls"] for unit in noted["call"]["units"]} == {
        str(folder / "src" / name) for name in ("main.cu", "args.cpp", "reduce.cu", "square.cu", "weight.cu")
    }
    assert _files(folder) == before


def test_a_script_that_generates_a_header(record: Record, copied: Callable[[str], Path], tmp_path: Path) -> None:
    folder = copied("shell_script")
    reply = record(folder, "./build.sh", "release")
    assert _calls(reply) == [("nvcc", "link", "stencil")]
    assert "-use_fast_math" in reply["calls"][0]["call"]["flags"]
    assert reply["generated"] == ["out/table.h"]
    assert "#define TAPS 16" in (tmp_path / "kept" / "out" / "table.h").read_text()


def test_a_ninja_file_with_two_programs_and_a_source_in_c(record: Record, copied: Callable[[str], Path], tmp_path: Path) -> None:
    folder = copied("ninja_two")
    reply = record(folder, "ninja")
    assert reply["exit_status"] == 0, reply["output"]
    assert {name for _, action, name in _calls(reply) if action == "link"} == {"app", "bench"}
    assert reply["objects"] == [[str(folder / "out" / "rows.o"), "objects/0-rows.o"]]
    assert (tmp_path / "kept" / "objects" / "0-rows.o").read_bytes().startswith(b"\x7fELF")


def test_what_is_up_to_date_is_built_once_more(record: Record, project: Path) -> None:
    (project / "main.cu").write_text(_MAIN)
    (project / "Makefile").write_text("app: main.o\n\tnvcc -o app main.o\nmain.o: main.cu\n\tnvcc -c main.cu\n")
    for name in ("main.o", "app"):
        (project / name).write_text("built before")
    assert _calls(record(project, "make")) == [("nvcc", "compile", "main.o"), ("nvcc", "link", "app")]
    assert (project / "app").read_text() == "built before"


def test_objects_that_no_rule_makes_anew_are_taken_away(record: Record, project: Path) -> None:
    (project / "main.cu").write_text(_MAIN)
    (project / "main.o").write_text("built before")
    (project / "build.sh").write_text("[ -e main.o ] || nvcc -c main.cu && [ -e app ] || nvcc -o app main.o\n")
    (project / "app").write_text("")
    assert _calls(record(project, "sh", "build.sh")) == [("nvcc", "compile", "main.o")]


def test_a_host_program_of_the_build_runs_and_one_with_kernels_says_why_not(record: Record, project: Path) -> None:
    (project / "gen.cpp").write_text('#include <cstdio>\nint main() { puts("#define N 4"); }\n')
    (project / "gen.cu").write_text(_MAIN)
    (project / "Makefile").write_text(
        "host.h: gen.cpp\n\tg++ -o gen gen.cpp\n\t./gen > host.h\ncuda.h: gen.cu\n\tnvcc -o gen gen.cu\n\t./gen > cuda.h\n"
    )
    assert record(project, "make", "host.h")["generated"] == ["host.h"]
    reply = record(project, "make", "cuda.h")
    assert reply["exit_status"] == 2
    assert "kernelopt: ./gen was not compiled, as there is no CUDA toolkit here, so the build cannot start it" in reply["output"]


def test_host_sources_that_need_the_toolkit_and_those_that_are_wrong(record: Record, project: Path) -> None:
    (project / "host.cpp").write_text("#include <cublas_v2.h>\nvoid f() {}\n")
    (project / "wrong.cpp").write_text("int f( {}\n")
    reply = record(project, "g++", "-c", "host.cpp")
    assert (reply["exit_status"], _calls(reply)) == (0, [("g++", "compile", "host.o")])
    reply = record(project, "g++", "-c", "wrong.cpp")
    assert (reply["exit_status"], _calls(reply)) == (1, [])
    assert "error: expected" in reply["output"]


def test_what_looks_at_products_is_content_with_placeholders(record: Record, project: Path) -> None:
    (project / "main.cu").write_text(_MAIN)
    lines = ("nvcc -c main.cu", "ar rc libm.a main.o", "ranlib libm.a", "g++ -o app libm.a", "strip app", "mkdir bin", "cp app bin/app")
    (project / "build.sh").write_text("set -e\n" + "\n".join(lines))
    reply = record(project, "sh", "build.sh")
    assert reply["exit_status"] == 0, reply["output"]
    assert reply["copies"] == [[str(project / "bin" / "app"), str(project / "app")]]


def test_the_toolkits_answers(record: Record, project: Path) -> None:
    (project / "a.cu").write_text(_MAIN)
    lines = ("nvcc --version | grep release", "nvcc -M a.cu", "nvcc -MD -MF a.d -c a.cu", "cat a.d", "nvcc -ptx a.cu", "ls a.ptx")
    script = ("which nvcc | xargs dirname | xargs dirname | xargs test $CUDA_HOME =", "echo $NVCC $CUDACXX", *lines, "nvcc -c gone.cu")
    (project / "build.sh").write_text("\n".join(script))
    reply = record(project, "sh", "build.sh")
    said = reply["output"].splitlines()
    assert said[:2] == ["nvcc nvcc", "Cuda compilation tools, release 13.0, V13.0.0"]
    assert said[2:] == [
        *(f"a.o: {project}/a.cu", f"{project}/a.o: {project}/a.cu", "a.ptx"),
        f"nvcc fatal   : Could not open input file '{project}/gone.cu'",
    ]
    assert _calls(reply) == [("nvcc", "compile", "a.o")]


def test_words_in_files_and_variables_are_read(record: Record, project: Path) -> None:
    (project / "a.cu").write_text(_MAIN)
    (project / "flags.rsp").write_text("-DFROM_FILE -c")
    variables = {"NVCC_PREPEND_FLAGS": "-DFIRST", "NVCC_APPEND_FLAGS": "-DLAST"}
    reply = record(project, "nvcc", "--options-file", "flags.rsp", "a.cu", variables=variables)
    assert reply["calls"][0]["call"]["flags"] == ["-DFIRST", "-DFROM_FILE", "-c", "-DLAST"]


def test_compilers_with_a_version_or_named_by_a_variable(record: Record, project: Path, tmp_path: Path, plain_path: str) -> None:
    (project / "a.cpp").write_text("int main() {}\n")
    real = tmp_path / "opt" / "g++-11"
    real.parent.mkdir()
    real.symlink_to(Path(plain_path, "g++").resolve())
    (project / "Makefile").write_text("app: a.cpp\n\t$(CXX) -o app a.cpp\n")
    assert _calls(record(project, "make", variables={"CXX": str(real)})) == [("g++-11", "link", "app")]


def test_the_build_writes_in_its_copy_and_to_temporary_files_alone(record: Record, project: Path, tmp_path: Path) -> None:
    (project / "a.cpp").write_text("int main() {}\n")
    (project / "inner").mkdir()
    (project / "link").symlink_to("inner")
    outside = tmp_path / "outside"
    outside.mkdir()
    (project / "build.sh").write_text(
        f"set -e\ng++ -o link/app a.cpp\nmktemp > made\nrm a.cpp\n[ -e inner/app ]\ntouch {outside}/file || exit 7\n"
    )
    reply = record(project, "sh", "build.sh")
    assert reply["exit_status"] == (7 if not reply["notes"] else 0), reply["output"]
    assert (project / "a.cpp").exists()
    assert _files(project) == ["a.cpp", "build.sh", "inner", "link"]


def test_a_build_without_an_end_is_ended_with_all_that_it_started(record: Record, project: Path) -> None:
    seconds = f"77.{os.getpid():07}"  # like no other run of these tests on the machine
    (project / "Makefile").write_text(f"all: a b\na b:\n\tsleep {seconds}\n")
    reply = record(project, "make", "-j2", wall_s=0.5)
    assert reply["timed_out"]
    assert seconds not in subprocess.run(("ps", "-eo", "args"), capture_output=True, text=True, check=True).stdout


@pytest.mark.parametrize(
    ("command", "message"), [("nosuchtool", "nosuchtool: no such program"), ("./plain", "./plain: it cannot be started")]
)
def test_a_command_that_cannot_be_started_is_said(record: Record, project: Path, command: str, message: str) -> None:
    (project / "plain").write_text("echo\n")
    reply = record(project, command)
    assert (reply["failure"], reply["message"]) == ("not_built", message)


def test_with_a_toolkit_its_own_compiler_is_called(record: Record, project: Path, tmp_path: Path) -> None:
    (project / "a.cu").write_text("int main() {}\n")
    nvcc = tmp_path / "cuda" / "bin" / "nvcc"
    nvcc.parent.mkdir(parents=True)
    # as nvcc does: the host's compiler is called by its name, on temporary files
    nvcc.write_text('#!/bin/sh\ncp a.cu $TMPDIR/tmpxft_1.cpp\nexec g++ "$1" -o "$3" $TMPDIR/tmpxft_1.cpp\n')
    nvcc.chmod(0o755)
    (project / "Makefile").write_text("app: a.cu\n\tnvcc -O1 -o app a.cu\n\t./app\n")
    reply = record(project, "make", variables={"CUDA_HOME": str(tmp_path / "cuda")})
    assert (reply["exit_status"], reply["has_toolkit"]) == (0, True), reply["output"]
    assert _calls(reply) == [("nvcc", "link", "app")]
    (project / "Makefile").write_text(f"app: a.cu\n\t{nvcc} -O1 -o app a.cu\n")
    reply = record(project, "make")
    assert (reply["exit_status"], _calls(reply)) == (0, []), reply["output"]
