"""A CMake project of a library, an app and a benchmark, configured by real CMake and worked on through any of its files."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from tests.e2e.cli.harness import DATA, Cli

_LIBRARY = ["lib/src/blur.cu", "lib/src/taps.cu", "lib/src/stats.cu", "lib/src/buffer.cpp"]


@pytest.fixture
def project(cli: Cli) -> Path:
    folder = cli.folder / "cmake_targets"
    shutil.copytree(DATA / "programs" / "cmake_targets", folder)
    return folder


def _texts(folder: Path) -> dict[str, str]:
    """The files of the user's tree."""
    paths = (path for path in folder.rglob("*") if path.is_file() and ".kernelopt" not in path.parts)
    return {str(path.relative_to(folder)): path.read_text("utf-8") for path in paths}


def test_a_cmake_project_is_configured_once_and_worked_on_from_any_of_its_files(cli: Cli, project: Path) -> None:
    before = _texts(project)
    blur = project / "lib/src/blur.cu"
    ended = cli.run("program", blur, "--configure", "--json")
    assert ended.code == 0, ended.said
    programs = {program["name"]: program for program in json.loads(ended.out)["programs"]}
    units = {name: [str(Path(unit).relative_to(project)) for unit in program["units"]] for name, program in programs.items()}
    assert units == {"bench_reduce": ["bench/bench.cu", *_LIBRARY], "imgtool": ["app/main.cpp", "app/pgm.cpp", *_LIBRARY]}
    assert programs["imgtool"]["arguments"] == ["small.pgm", "2", '--title=a "small" one']
    assert _texts(project) == before

    assert "part of 2 programs (bench_reduce, imgtool)" in cli.run("inspect", project / "lib/src/taps.cu").err
    kernels = {each["kernel"]: Path(each["file"]) for each in cli.run("inspect", project / "bench/bench.cu", "--json").all("kernel")}
    assert kernels["imgk::block_sums(const T *, T *, int)"] == project / "lib/include/imgk/reduce.cuh"
    assert cli.run("program", blur, "--use", "imgtool").code == 0
    checked = {each["kernel"]: each["problems"] for each in cli.run("check", blur, "--device", "cpu", "--json").all("check")}
    assert checked == {"blurRows(const float *, float *, int, int)": [], "gammaKernel(float *, int, float)": []}
    assert _texts(project) == before


def test_what_keeps_a_project_from_being_configured_is_said(cli: Cli) -> None:
    source = cli.write("a.cu", "int main() {}")
    ended = cli.run("program", source, "--configure")
    assert (ended.code, "has a CMakeLists.txt" in ended.err) == (3, True)
    cli.write("CMakeLists.txt", "cmake_minimum_required(VERSION 3.18)\nproject(p NONE)\nfind_package(NoSuchThing REQUIRED)\n")
    ended = cli.run("program", source, "--configure")
    assert ended.code == 3
    assert "NoSuchThing" in ended.err
    assert cli.run("program", source, "--configure", "--cmake-options", "-B /tmp/x").code == 2
    assert cli.run("program", source, "--cmake-options", "-DX=1").code == 2
