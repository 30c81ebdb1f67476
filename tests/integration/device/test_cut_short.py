"""A compiler that was killed or came too late has said nothing about the source: its failure is never kept."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from assistant.device.compile import compile_program
from assistant.device.process import ToolRunner
from assistant.device.protocol import CompileRequest
from assistant.device.toolchain import Nvcc, Toolchain
from assistant.model.build import BuildFailure


def attempt(folder: Path, nvcc_script: str) -> tuple[BuildFailure, bool]:
    """Two compiles with a compiler that does as the script says: the first answer, and whether the second came from the cache."""
    nvcc = folder / "nvcc"
    nvcc.write_text(f"#!/bin/sh\n{nvcc_script}\n")
    nvcc.chmod(0o755)
    toolchain = Toolchain(Nvcc(str(nvcc), "13.0.88", str(folder), "PATH"), None, None, None, "/usr/bin/g++", None, (), ())
    request = CompileRequest(
        sources=((str(folder / "k.cu"), "__global__ void k() {}"),),
        architecture="sm_90",
        want=("resources",),
        cache_directory=str(folder / "cache"),
        timeout_s=10.0,
    )
    late = "sleep" in nvcc_script
    first, second = (
        compile_program(replace(request, timeout_s=0.2) if late else request, toolchain, ToolRunner({"PATH": "/usr/bin:/bin"}))
        for _ in range(2)
    )
    assert isinstance(first.result, BuildFailure)
    return first.result, second.cached


def test_a_refused_source_is_kept(tmp_path: Path) -> None:
    failure, is_cached = attempt(tmp_path, f"echo '{tmp_path}/k.cu(1): error: expected a declaration'; exit 2")
    assert "expected a declaration" in failure.diagnostics[0].message
    assert is_cached


def test_a_compiler_past_its_deadline_is_asked_again(tmp_path: Path) -> None:
    failure, is_cached = attempt(tmp_path, "exec sleep 30")
    assert "did not end within 0.2 s" in failure.diagnostics[0].message
    assert not is_cached


@pytest.mark.parametrize(
    "script",
    [
        "kill -9 $$",
        "echo \"nvcc error   : 'cicc' died due to signal 9 (Kill signal)\"; exit 9",
        "echo 'g++: fatal error: Killed signal terminated program cc1plus'; exit 1",
    ],
)
def test_a_killed_compiler_is_asked_again(tmp_path: Path, script: str) -> None:
    _, is_cached = attempt(tmp_path, script)
    assert not is_cached
