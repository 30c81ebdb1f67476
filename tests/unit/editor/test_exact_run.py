"""What a person consents to is one exact run: another program, other flags or another reference are asked about again."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from assistant.editor.exact_run import exact_run
from assistant.engine.request import JobRequest
from assistant.model.program import FoundProgram, ProgramOrigin, ProgramSearch

BLOCK = '/* kernelopt\n[workload.k]\nargs = { x = "randn(n)" }\ngrid = [1]\nblock = [32]\nshapes = [{ n = 32 }]\n*/\n'
KERNEL = "__global__ void k(float *x) { x[threadIdx.x] *= 2.0f; }\n"


@pytest.fixture
def request_(tmp_path: Path) -> JobRequest:
    (tmp_path / "kernelopt.toml").touch()
    path = tmp_path / "k.cu"
    path.write_text(KERNEL)
    return JobRequest(path, tmp_path, cflags=("-O2",))


def declaring(request: JobRequest, line: str) -> JobRequest:
    """The same file with one more line in its workload block, unsaved."""
    return replace(request, texts=((request.file, BLOCK.replace("grid", f"{line}\ngrid") + KERNEL),))


def test_it_names_file_and_flags(request_: JobRequest) -> None:
    run = exact_run(request_)
    assert (run.folder, run.command, run.flags, run.reference_sha256) == (request_.file.parent, (str(request_.file),), ("-O2",), None)


def test_all_files_of_a_program_have_one_question(request_: JobRequest) -> None:
    folder = request_.file.parent
    units = (folder / "main.cu", folder / "k.cu")
    program = FoundProgram("main.cu", units, ProgramOrigin.INCLUDES, "", flags=("-Iinclude",), arguments=("64",))
    asked = [replace(request_, file=path, programs=ProgramSearch((program,))) for path in (*units, folder / "k.cuh")]
    assert {exact_run(request).digest for request in asked} == {exact_run(asked[0]).digest}
    assert exact_run(asked[2]).command == (*map(str, units), "64")
    assert exact_run(asked[2]).flags == ("-Iinclude", "-O2")
    assert exact_run(asked[2]).digest != exact_run(request_).digest


def test_flags_of_a_workload_block_and_of_the_build_s_own_list_are_among_it(request_: JobRequest) -> None:
    declared = declaring(request_, 'flags = ["-DN=3"]')
    assert exact_run(declared).flags == ("-O2", "-DN=3")
    entry = {"directory": str(request_.file.parent), "file": "k.cu", "arguments": ["nvcc", "-DM=1", "k.cu"]}
    (request_.file.parent / "compile_commands.json").write_text(json.dumps([entry]))
    assert exact_run(replace(declared, cflags=None)).flags == ("-DM=1", "-DN=3")


def test_flags_that_the_build_keeps_in_a_file_are_among_it(request_: JobRequest) -> None:
    folder = request_.file.parent
    entry = {"directory": str(folder), "file": "k.cu", "arguments": ["nvcc", "--options-file", "i.rsp", "k.cu"]}
    (folder / "compile_commands.json").write_text(json.dumps([entry]))
    assert exact_run(replace(request_, cflags=None)).flags == (), "the job says that the file is not there"
    (folder / "i.rsp").write_text("-Iinclude -ccbin=./x")
    first = exact_run(replace(request_, cflags=None))
    assert first.flags == (f"-I{folder}/include",)
    (folder / "i.rsp").write_text("-Iother")
    assert exact_run(replace(request_, cflags=None)).digest != first.digest


@pytest.mark.parametrize("is_beside", [False, True])
def test_a_reference_that_says_something_else_is_asked_about_again(request_: JobRequest, is_beside: bool) -> None:
    request = declaring(request_, 'reference = "ref.py:f"')
    if is_beside:
        (request_.file.parent / "k.kernelopt.toml").write_text(BLOCK[len("/* kernelopt\n") : -len("*/\n")] + 'reference = "ref.py:f"\n')
        request = request_
    missing = exact_run(request)
    reference = request_.file.parent / "ref.py"
    reference.write_text("def f(x): return x\n")
    first = exact_run(request)
    assert exact_run(request) == first
    reference.write_text("def f(x): return -x\n")
    assert len({missing.digest, first.digest, exact_run(request).digest, exact_run(request_).digest}) == (3 if is_beside else 4)


def test_what_cannot_be_read_is_the_job_s_to_report(request_: JobRequest) -> None:
    (request_.file.parent / "compile_commands.json").write_text("no JSON")
    (request_.file.parent / "k.kernelopt.toml").write_bytes(b"\xff\0")
    assert exact_run(replace(request_, cflags=None)).flags == ()
    assert exact_run(declaring(request_, "flags = 3")).flags == ("-O2",)


MAIN = KERNEL + "int main(int argc, char **argv) { return 0; }\n"


def test_it_says_in_words_what_is_compiled_by_what_and_how_it_is_run(request_: JobRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "/nowhere")
    alone = exact_run(replace(request_, texts=((request_.file, MAIN),), timeout_s=60.0))
    assert alone.words == (
        "Compiles k.cu with g++ for the CPU emulator, with the flags -O2.",
        "Runs it without arguments, at most 60 s each time.",
    )
    plain = exact_run(replace(request_, texts=((request_.file, MAIN),), cflags=(), arguments=("512", "a b")))
    assert plain.words == (
        "Compiles k.cu with g++ for the CPU emulator, without flags of yours.",
        "Runs it with the arguments 512 'a b'.",
    )
    assert exact_run(declaring(request_, "flags = []")).words[1] == "Runs its kernels on the workload that it declares."


def test_nvcc_is_named_where_it_is_there_and_a_gpu_is_not_ruled_out(
    request_: JobRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    nvcc = tmp_path / "bin" / "nvcc"
    nvcc.parent.mkdir()
    nvcc.write_text("#!/bin/sh\n")
    nvcc.chmod(0o755)
    monkeypatch.setenv("PATH", str(nvcc.parent))
    assert exact_run(request_).words[0].startswith("Compiles k.cu with nvcc, and with g++ for the CPU emulator")
    assert "nvcc" not in exact_run(replace(request_, device="cpu")).words[0]


def test_a_program_names_its_units_its_arguments_and_where_it_runs(request_: JobRequest) -> None:
    folder = request_.file.parent
    units = (folder / "src" / "main.cu", folder / "src" / "k.cu")
    program = FoundProgram("main.cu", units, ProgramOrigin.INCLUDES, "", flags=("-Iinclude",), arguments=("64",))
    run = exact_run(
        replace(request_, file=folder / "include" / "k.cuh", working_directory=folder / "src", programs=ProgramSearch((program,)))
    )
    assert run.words[0].startswith("Compiles main.cu, k.cu with ") and run.words[0].endswith("with the flags -Iinclude -O2.")
    assert run.words[1] == "Runs it with the arguments 64."
    assert run.runs_in == folder / "src"
    many = replace(program, units=tuple(folder / f"u{number}.cu" for number in range(8)))
    assert "u5.cu and 2 more with" in exact_run(replace(request_, programs=ProgramSearch((many,)))).words[0]


def test_an_extension_names_the_commands_that_build_and_start_it(request_: JobRequest) -> None:
    unit = request_.file
    program = FoundProgram(
        "ops", (unit,), ProgramOrigin.EXTENSION, "", build_command=("python", "setup.py"), run_command=("python", "t.py")
    )
    run = exact_run(replace(request_, programs=ProgramSearch((program,))))
    assert run.words == ("Builds it by python setup.py.", "Runs python t.py without arguments.")


def test_an_answer_for_a_folder_holds_for_all_files_of_a_program_wherever_they_lie(tmp_path: Path) -> None:
    units = (tmp_path / "src" / "main.cu", tmp_path / "src" / "k.cu")
    program = FoundProgram("main.cu", units, ProgramOrigin.INCLUDES, "")
    files = (*units, tmp_path / "include" / "k.cuh")
    runs = [exact_run(JobRequest(file, file.parent, programs=ProgramSearch((program,)), cflags=())) for file in files]
    assert {(run.folder, run.digest) for run in runs} == {(tmp_path / "src", runs[0].digest)}


def test_the_words_change_no_answer(request_: JobRequest) -> None:
    run = exact_run(request_)
    assert run.digest == replace(run, words=("Something else.",), runs_in=None).digest
