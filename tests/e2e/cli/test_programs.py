"""Projects of several files, asked about through any of them: run, profiled, compared, and edited in the file that holds the kernel."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import time
from pathlib import Path

import pytest

from tests.e2e.cli.harness import COMMAND, DATA, DEADLINE_S, Cli, no_orphans
from tests.e2e.cli.test_pair import start, wait_for_turns
from tests.thorough import only

OFTEN = ("device_link",)
"""Asked in every run; the others are thorough."""
ASKED = {
    "c_main": "wrap.cu",
    "compile_database": "src/histogram.cu",
    "cu_includes_cu": "kernels.cu",
    "device_link": "filter.cu",
    "guarded_main": "gemv.cu",
    "header_kernel": "scale.cuh",
    "host_cpp": "solver.cu",
    "include_and_src": "src/axpy.cu",
    "instantiated_template": "scan.cuh",
    "library_with_driver": "kernels/dot.cu",
    "old_encoding": "quadrat.h",
    "three_units": "fill.cu",
}
"""A file with kernels of each project that is one program; none of them has ``main()``."""
OPS = """\
#pragma once
// grows each value
__global__ void grow(double *v, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) v[i] = v[i] + pow(v[i], 3.0);
}
"""
RUN = """\
#include "ops.cuh"
void grow_all(double *v, int n) { grow<<<(n + 127) / 128, 128>>>(v, n); }
"""
MAIN = """\
#include <cstdio>
#include <vector>
void grow_all(double *v, int n);
int main()
{
    const int n = 1 << 13;
    std::vector<double> host(n);
    for (int i = 0; i < n; i++) host[i] = (i % 97) * 0.01;
    double *v;
    cudaMalloc(&v, n * sizeof(double));
    cudaMemcpy(v, host.data(), n * sizeof(double), cudaMemcpyHostToDevice);
    grow_all(v, n);
    cudaMemcpy(host.data(), v, n * sizeof(double), cudaMemcpyDeviceToHost);
    printf("%.4f\\n", host[96]);
}
"""


@pytest.fixture
def project(cli: Cli) -> Path:
    """A kernel in a header, its launch in one unit, ``main()`` in another; the header."""
    (cli.folder / "include").mkdir()
    cli.write("kernelopt.toml", '[build]\nflags = ["-Iinclude"]\n')
    cli.write("run.cu", RUN)
    cli.write("main.cu", MAIN)
    return cli.write("include/ops.cuh", OPS)


@pytest.mark.parametrize("name", only(OFTEN, ASKED))
def test_a_kernel_is_checked_in_the_program_that_is_found(cli: Cli, name: str) -> None:
    folder = cli.folder / name
    shutil.copytree(DATA / "programs" / name, folder)
    (folder / "kernelopt.toml").touch()
    ended = cli.run("check", folder / ASKED[name], "--json", "--device", "cpu")
    assert ended.code == 0, ended.said
    assert all(checked["launch_count"] > 0 and not checked["problems"] for checked in ended.all("check"))
    assert any(message["message"].startswith("part of the program") for message in ended.all("message"))


@pytest.mark.thorough
def test_which_of_several_programs_is_meant_is_asked_once(cli: Cli) -> None:
    folder = cli.folder / "shared_header"
    shutil.copytree(DATA / "programs" / "shared_header", folder)
    (folder / "kernelopt.toml").touch()
    header = folder / "common.cuh"
    ended = cli.run("check", header)
    assert ended.code == 3
    assert "part of 2 programs" in ended.err
    assert f"kernelopt program {header} --use" in ended.err
    assert cli.run("program", header, "--use", "check_transpose.cu").code == 0
    ended = cli.run("check", header, "--device", "cpu")
    assert ended.code == 0, ended.said
    assert "part of the program check_transpose.cu" in ended.out


def test_the_file_with_main_asks_about_the_kernels_of_all_files(cli: Cli, project: Path) -> None:
    ended = cli.run("profile", cli.folder / "main.cu", "--json", "--device", "cpu")
    profile = ended.one("profile")
    assert (ended.code, profile["kernel"], profile["file"]) == (0, "grow(double *, int)", str(project))
    assert {(Path(line["file"]).name, line["line"]) for line in profile["lines"]} == {("ops.cuh", 6)}
    said = cli.run("profile", cli.folder / "main.cu", "--device", "cpu").out
    assert "KO116 ops.cuh:6: " in said and "KO116 line 6: " in cli.run("profile", project, "--device", "cpu").out, said
    found = cli.run("inspect", cli.folder / "main.cu", "--json").one("kernel")
    assert (found["file"], found["line"], [found["registers_per_thread"] > 0 for found in found["resources"]]) == (str(project), 3, [True])
    assert [(launch["file"], launch["line"]) for launch in found["launches"]] == [(str(cli.folder / "run.cu"), 2)]


@pytest.mark.thorough
def test_a_header_is_edited_accepted_and_taken_back(cli: Cli, project: Path) -> None:
    ended = cli.run("optimize", cli.folder / "main.cu", "--accept", "none", "--device", "cpu", "--json")
    proposal = ended.one("proposal")
    assert proposal["file"] == str(project)
    assert "pow" not in "".join(line for line in proposal["diff"].splitlines() if line.startswith("+"))
    assert cli.run("accept", proposal["id"]).code == 0
    assert "pow" not in project.read_text("utf-8")
    assert (cli.folder / "main.cu").read_text("utf-8") == MAIN
    assert cli.run("undo", proposal["id"]).code == 0
    assert project.read_text("utf-8") == OPS


def test_a_launch_of_a_header_stays_where_another_program_launches_its_kernel_too(cli: Cli) -> None:
    cli.write("kernelopt.toml", "")
    cli.write("ops.cuh", OPS.replace("v[i] + pow(v[i], 3.0)", "v[i] * 1.5"))
    launched = MAIN.replace("void grow_all(double *v, int n);", '#include "ops.cuh"').replace(
        "grow_all(v, n)", "grow<<<(n + 31) / 32, 32>>>(v, n)"
    )
    launched = launched.replace("1 << 13", "1 << 16")  # so many blocks that starting them takes longest
    for name in ("main.cu", "bench.cu"):
        cli.write(name, launched)
    ended = cli.run("optimize", cli.folder / "main.cu", "--accept", "none", "--device", "cpu", "--allow-host-code", "--json")
    assert not ended.all("proposal"), ended.said
    declines = {decline["technique"]: decline["reason"] for decline in ended.one("plan")["declines"]}
    assert "which bench.cu of another program launches as well" in declines["block-size-search"]


@pytest.mark.thorough
def test_an_edit_of_a_header_is_judged_in_its_place(cli: Cli, project: Path) -> None:
    right = cli.write("right.cuh", OPS.replace("pow(v[i], 3.0)", "v[i] * v[i] * v[i]"))
    wrong = cli.write("wrong.cuh", OPS.replace("3.0", "2.0"))
    made = cli.run("compare", project, right, "--device", "cpu", "--json")
    assert made.one("comparison")["verification"]["outcome"] == "PASS"
    assert cli.run("compare", project, wrong, "--device", "cpu", "--json").one("comparison")["verification"]["outcome"] == "FAIL"


@pytest.mark.thorough
def test_an_edit_of_a_file_without_kernels_is_judged_by_those_it_uses(cli: Cli, project: Path) -> None:
    edited = cli.write("edited.cu", MAIN.replace("i % 97", "i % 89"))
    ended = cli.run("compare", cli.folder / "main.cu", edited, "--device", "cpu", "--json", "--kernel", "grow")
    outcomes = {each["verification"]["outcome"] for each in ended.all("comparison")}
    assert (ended.code, outcomes) == (1, {"FAIL"}), ended.said


def test_programs_of_different_files_are_not_compared(cli: Cli, project: Path) -> None:
    other = cli.folder / "other"
    other.mkdir()
    (other / "kernelopt.toml").touch()
    (other / "ops.cuh").write_text(OPS.replace("3.0", "2.0"))
    (other / "main.cu").write_text(RUN + MAIN)
    both = cli.folder / "both.cu"
    both.write_text(RUN + MAIN)
    ended = cli.run("compare", both, other / "main.cu", "--device", "cpu", "--cflags", "-Iinclude")
    assert ended.code == 3
    assert "are parts of programs of different files (" in ended.err + ended.out


@pytest.mark.thorough
def test_a_pair_session_on_a_header_answers_each_save(cli: Cli, project: Path) -> None:
    with no_orphans():
        process = start(cli, project)
        wait_for_turns(cli, process, 1)
        project.write_text(OPS.replace("pow(v[i], 3.0)", "v[i] * v[i] * v[i]"))
        wait_for_turns(cli, process, 2)
        project.write_text(OPS.replace("3.0", "2.0"))
        wait_for_turns(cli, process, 3)
        out, err = process.communicate("ladder\nstop\n", timeout=DEADLINE_S)
    assert process.returncode == 0 and "v1: PASS" in out and "v2: FAIL" in out, out + err


@pytest.mark.thorough
def test_a_header_is_watched_in_the_program_that_launches_its_kernel(cli: Cli, project: Path) -> None:
    said = cli.folder.parent / "watch.out"
    with no_orphans(), said.open("w") as out:
        process = subprocess.Popen((*COMMAND, "watch", str(cli.folder)), cwd=cli.folder, env=cli.environment(), stdout=out, stderr=out)
        try:
            _wait_for(said, "watching")
            project.write_text(OPS.replace("v[i] + pow", "v[i + 1] + pow"))
            _wait_for(said, "ops.cuh:6:1: error KO201")
        finally:
            os.kill(process.pid, signal.SIGINT)
            process.wait(DEADLINE_S)
    assert "include/ops.cuh via main.cu" in said.read_text()


def _wait_for(file: Path, words: str) -> None:
    deadline = time.monotonic() + DEADLINE_S
    while words not in file.read_text():
        assert time.monotonic() < deadline, file.read_text()
        time.sleep(0.1)
