"""A machine without compilers gets the exact way out, never a traceback."""

from __future__ import annotations

from pathlib import Path

from assistant.device.compile import compile_program
from assistant.device.process import ToolRunner
from assistant.device.protocol import CompileRequest
from assistant.device.toolchain import INSTALL_CUDA, INSTALL_GXX, Nvcc, Toolchain, find_toolchain, installed_wheel_tree
from assistant.model.build import CompilerMissing

REQUEST = CompileRequest(sources=(("/p/k.cu", "__global__ void k() {}"),), architecture="sm_90", want=("resources", "sass"))
NOTHING = Toolchain(None, None, None, None, None, None, (), ())


def check(toolchain: Toolchain, remedy: str, part_of_reason: str) -> None:
    result = compile_program(REQUEST, toolchain, ToolRunner({})).result
    assert isinstance(result, CompilerMissing)
    assert result.remedy == remedy
    assert part_of_reason in result.reason


def test_no_compiler_at_all() -> None:
    check(NOTHING, INSTALL_CUDA, "neither nvcc nor NVRTC")


def test_nvcc_without_a_host_compiler() -> None:
    nvcc = Nvcc("/opt/cuda/bin/nvcc", "13.0.88", "/opt/cuda", "PATH")
    check(Toolchain(nvcc, None, None, None, None, None, (), ()), INSTALL_GXX, "g++ is not on PATH")


def test_an_nvcc_that_cannot_be_started() -> None:
    nvcc = Nvcc("/nowhere/nvcc", "13.0.88", "/nowhere", "PATH")
    check(Toolchain(nvcc, None, None, None, "/usr/bin/g++", None, (), ()), INSTALL_CUDA, "could not be started")


def test_every_missing_tool_is_named_with_its_remedy() -> None:
    assert all(tool.origin == "missing" and tool.remedy for tool in NOTHING.describe().tools)


def test_an_empty_machine_has_no_nvcc(tmp_path: Path) -> None:
    found = find_toolchain({"PATH": str(tmp_path)}, None, tmp_path / "nvcc")
    assert (found.nvcc, found.nvdisasm, found.gxx) == (None, None, None)


def test_the_wheels_alone_make_a_compiler(tmp_path: Path) -> None:
    found = find_toolchain({"PATH": "/usr/bin:/bin"}, installed_wheel_tree(), tmp_path / "nvcc")
    assert found.nvcc is not None
    assert found.nvcc.origin == "wheel"
    result = compile_program(REQUEST, found, ToolRunner({"PATH": "/usr/bin:/bin"})).result
    assert [r.kernel for r in getattr(result, "resources", ())] == ["k()"]
