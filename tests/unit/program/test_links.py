"""Programs of a folder that is reached by a symbolic link: all files are named by way of the same link, as compilers see them."""

from __future__ import annotations

import pytest

from assistant.engine.reading import read_version
from assistant.engine.request import JobRequest
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
