"""Programs whose folders or files are symbolic links: all files are named by way of the same link, as compilers see them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from assistant.config import find_project, find_workspace
from assistant.engine.reading import read_version
from assistant.engine.request import JobRequest
from assistant.errors import CannotAnswerError
from assistant.model.build import Flags
from tests.unit.program.conftest import Project

HEADER = "#pragma once\n__global__ void k(float* x) { x[0] = 1; }\n"
MAIN = '#include "lib/k.cuh"\nint main() { k<<<1, 1>>>(nullptr); }\n'


@pytest.mark.parametrize("asked", ["link/lib/k.cuh", "real/up/real/lib/k.cuh", "real/lib/k.cuh"])
def test_the_other_files_are_named_by_the_same_link(project: Project, asked: str) -> None:
    project.put("real/lib/k.cuh", HEADER)
    project.put("real/main.cu", MAIN)
    project.put("real/kernelopt.toml", "")
    (project.root / "link").symlink_to("real")
    (project.root / "real" / "up").symlink_to("..")
    file = project.root / asked
    version = read_version(JobRequest(file, file.parent), Flags())
    assert [source.path for source in version.sources] == [file, file.parent.parent / "main.cu"], "each once"
    assert [kernel.key for kernel in version.kernels] == ["k(float *)"]


def _linked_sources(project: Project) -> Path:
    """A workspace whose two sources are links to files outside of it."""
    project.put("elsewhere/kernels.cuh", HEADER)
    project.put("elsewhere/start.cu", MAIN)
    (project.root / "own" / "lib").mkdir(parents=True)
    project.put("own/kernelopt.toml", "")
    (project.root / "own" / "lib" / "k.cuh").symlink_to("../../elsewhere/kernels.cuh")
    (project.root / "own" / "main.cu").symlink_to("../elsewhere/start.cu")
    return project.root / "own"


@pytest.mark.parametrize("has_database", [False, True])
def test_sources_that_are_links_out_of_the_workspace_have_the_names_of_the_links(project: Project, *, has_database: bool) -> None:
    own = _linked_sources(project)
    if has_database:
        entry = {"directory": str(own), "file": "main.cu", "arguments": ["nvcc", "-DN=3", "-c", "main.cu"]}
        project.put("own/compile_commands.json", json.dumps([entry]))
    assert find_workspace(own / "lib" / "k.cuh") == own
    version = read_version(JobRequest(own / "lib" / "k.cuh", own), Flags())
    assert [source.path for source in version.sources] == [own / "lib" / "k.cuh", own / "main.cu"]
    assert ("-DN=3" in version.program.flags.arguments) is has_database


@pytest.mark.parametrize("is_folder", [False, True])
def test_a_header_is_asked_about_by_the_name_that_compilers_see(project: Project, *, is_folder: bool) -> None:
    project.put("kernelopt.toml", "")
    project.put("src/k.cuh", HEADER)
    project.put("main.cu", MAIN)
    if is_folder:
        (project.root / "lib").symlink_to("src")
    else:
        (project.root / "lib").mkdir()
        (project.root / "lib" / "k.cuh").symlink_to("../src/k.cuh")
    written, seen = project.root / "src" / "k.cuh", project.root / "lib" / "k.cuh"
    with pytest.raises(CannotAnswerError, match="by a link") as caught:
        read_version(JobRequest(written, project.root), Flags())
    assert caught.value.remedy == f"name {seen} in its place"
    version = read_version(JobRequest(seen, project.root), Flags())
    assert [source.path for source in version.sources] == [seen, project.root / "main.cu"]


@pytest.mark.parametrize("mark", ["kernelopt.toml", "Makefile"])
def test_a_folder_that_is_a_link_out_of_a_workspace_belongs_to_that(project: Project, mark: str) -> None:
    project.put("elsewhere/k.cuh", HEADER)
    project.put("own/main.cu", MAIN)
    project.put(f"own/{mark}", "")
    (project.root / "own" / "lib").symlink_to("../elsewhere")
    file = project.root / "own" / "lib" / "k.cuh"
    assert find_project(file) == project.root / "own"
    version = read_version(JobRequest(file, file.parent), Flags())
    assert [source.path for source in version.sources] == [file, project.root / "own" / "main.cu"]
    assert find_project(project.root / "elsewhere" / "k.cuh") == project.root / "elsewhere"
