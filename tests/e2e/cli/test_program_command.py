"""``kernelopt program``: which sources belong together with a file, and the choice among several."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.cli.harness import DATA, Cli


def _project(cli: Cli, name: str) -> Path:
    """A copy of a project, a workspace of its own."""
    folder = Path(shutil.copytree(DATA / "programs" / name, cli.folder / name))
    (folder / "kernelopt.toml").touch()
    return folder


def _answer(cli: Cli, *arguments: str | Path) -> dict[str, Any]:
    ended = cli.run("program", *arguments, "--json")
    assert (ended.code, ended.err) == (0, "")
    return json.loads(ended.out)


def test_a_header_shows_its_programs_and_one_is_chosen(cli: Cli) -> None:
    header = _project(cli, "shared_header") / "common.cuh"
    shown = cli.run("program", header)
    assert shown.code == 0
    assert [line for line in shown.out.splitlines() if not line.startswith(" ")] == [
        "bench_transpose.cu  (includes)",
        "check_transpose.cu  (includes)",
        "several: kernelopt program common.cuh --use NAME remembers which is meant",
    ]
    assert cli.run("program", header, "--use", header.parent / "check_transpose.cu").code == 0
    assert cli.run("program", header, "--use", "check_transpose.cu").code == 0
    assert "check_transpose.cu  (includes, chosen)" in cli.run("program", header).out
    answer = _answer(cli, header)
    assert answer["chosen"] == "check_transpose.cu"
    assert [program["name"] for program in answer["programs"]] == ["bench_transpose.cu", "check_transpose.cu"]


def test_units_flags_and_arguments_are_shown(cli: Cli) -> None:
    folder = _project(cli, "configured")
    ended = cli.run("program", folder / "kernels" / "window.cuh")
    assert ended.code == 0
    assert "units configured/apps/demo.cu configured/kernels/blur_cols.cu configured/kernels/blur_rows.cu" in ended.out
    assert f"flags -DWIDTH=64 -I{folder.resolve()}/apps" in ended.out
    assert "args  3 quick" in ended.out


def test_a_folder_shows_all_of_its_programs(cli: Cli) -> None:
    folder = _project(cli, "main_in_comments")
    assert [program["name"] for program in _answer(cli, folder)["programs"]] == ["app.cu", "commented_include.cu"]
    ended = cli.run("program", folder=folder)
    assert (ended.code, ended.out.count("units")) == (0, 2)


def test_flags_of_the_settings_and_of_the_command_line_are_used(cli: Cli) -> None:
    folder = _project(cli, "guarded_main")
    source = folder / "gemv.cu"
    assert _answer(cli, source)["programs"][0]["name"] == "main.cu"
    assert _answer(cli, source, "--cflags", "-DGEMV_STANDALONE")["programs"][0]["name"] == "gemv.cu"
    (folder / "kernelopt.toml").write_text('[build]\nflags = ["-DGEMV_STANDALONE"]\n')
    assert _answer(cli, source)["programs"][0]["name"] == "gemv.cu"


def test_no_program_ends_with_1_and_says_what_was_looked_for(cli: Cli) -> None:
    ended = cli.run("program", _project(cli, "three_units") / "unused.cu")
    assert ended.code == 1
    assert "unused.cu belongs to no program that was found" in ended.out
    assert "has main() and includes unused.cu" in ended.out
    assert "try: " in ended.out


def test_a_table_that_cannot_be_used_is_said_with_its_line(cli: Cli) -> None:
    folder = _project(cli, "three_units")
    (folder / "kernelopt.toml").write_text('[program.p]\nsources = ["gone.cu"]\n')
    ended = cli.run("program", folder / "unused.cu")
    assert ended.code == 3
    assert "warning: kernelopt.toml:2: sources of [program.p] name gone.cu, and there is no such file" in ended.err


def test_misuse_ends_with_2_and_a_remedy(cli: Cli) -> None:
    header = _project(cli, "shared_header") / "common.cuh"
    for arguments, message in (
        (
            (header, "--use", "nothing"),
            "common.cuh belongs to no program nothing\n  try: name one of these: bench_transpose.cu, check_transpose.cu",
        ),
        ((header.parent, "--use", "nothing"), "--use needs a FILE"),
        (("missing.cu",), "missing.cu does not exist"),
    ):
        ended = cli.run("program", *arguments)
        assert ended.code == 2
        assert message in ended.err


def test_a_choice_that_is_gone_is_said(cli: Cli) -> None:
    header = _project(cli, "shared_header") / "common.cuh"
    assert cli.run("program", header, "--use", "check_transpose.cu").code == 0
    (header.parent / "check_transpose.cu").unlink()
    assert "check_transpose.cu, which was chosen for common.cuh, is not among them any more" in cli.run("program", header).out


KERNEL = "__global__ void {name}(float *x) {{ x[threadIdx.x] += 1; }}\n"
MAIN = "int main() {{ float *x; cudaMalloc(&x, 128); cudaMemset(x, 0, 128); {run}; return cudaDeviceSynchronize(); }}\n"


@pytest.mark.thorough
def test_a_program_is_found_among_two_thousand_sources_and_a_header_of_three_hundred_asks_which(cli: Cli) -> None:
    cli.write("kernelopt.toml", "")
    header = cli.write("common.cuh", "#pragma once\n" + KERNEL.format(name="common"))
    for number in range(300):
        cli.write(f"bench_{number}.cu", '#include "common.cuh"\n' + MAIN.format(run="common<<<1, 32>>>(x)"))
    for number in range(1700):
        text = KERNEL.format(name=f"k{number}") + f"void run_{number}(float *x) {{ k{number}<<<1, 32>>>(x); }}\n"
        cli.write(f"unit_{number}.cu", text)
    cli.write("app.cu", "void run_1234(float *x);\n" + MAIN.format(run="run_1234(x)"))
    unclear = cli.run("check", header)
    assert unclear.code == 3 and len(unclear.said) < 1000, unclear.said
    assert "common.cuh is part of 300 programs (bench_0.cu, " in unclear.said
    assert f"kernelopt program {header} --use bench_0.cu chooses one" in unclear.said.replace("\n", " ")
    assert cli.run("program", header, "--use", "bench_77.cu").code == 0
    shown = cli.run("program", header).out.splitlines()
    assert shown[0] == "bench_77.cu  (includes, chosen)"
    assert sum("(includes" in line for line in shown) == 20
    assert shown[-1].startswith("280 more (bench_115.cu, ") and shown[-1].endswith("kernelopt program common.cuh --all lists them")
    assert cli.run("program", header, "--all").out.count("(includes") == 300
    (chosen,) = cli.run("check", header, "--json").all("check")
    assert (chosen["kernel"], chosen["launch_count"]) == ("common(float *)", 1)
    inspected = cli.run("inspect", cli.folder / "unit_1234.cu", "--json")
    assert inspected.code == 0, inspected.said
    assert "sources of the program: app.cu, unit_1234.cu" in [event["message"] for event in inspected.all("message")]
