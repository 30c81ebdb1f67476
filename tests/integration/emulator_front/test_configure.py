"""Real CMake configures projects, with kernelopt answering where a CUDA compiler is missing."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from assistant.emulator import configure as configuring
from assistant.emulator.configure import configure
from assistant.emulator.protocol import ConfigureMessage
from assistant.emulator.stand_in import g_plus_plus_words, make_stand_in
from assistant.program.cmake_reply import read_reply
from assistant.worker.launcher import Launcher
from tests.e2e.cli.harness import DATA

_TOOLKIT_USER = """\
cmake_minimum_required(VERSION 3.18)
project(p LANGUAGES CXX CUDA)
find_package(CUDAToolkit 12 REQUIRED)
include(CheckSourceCompiles)
check_source_compiles(CUDA "__global__ void k(float *p) { *p = __expf(1.0f); } int main() { return 0; }" CAN_COMPILE)
check_source_compiles(CUDA "int main() { return no_such_name; }" CAN_COMPILE_NONSENSE)
add_executable(app app.cu)
set_property(TARGET app PROPERTY CUDA_ARCHITECTURES native)
target_link_libraries(app CUDA::cublas CUDA::cufft CUDA::cuda_driver CUDA::cudart)
target_compile_definitions(app PRIVATE "FOUND=${CUDAToolkit_VERSION_MAJOR}" "CAN=${CAN_COMPILE}" "NONSENSE=x${CAN_COMPILE_NONSENSE}")
"""


@pytest.fixture
def without_nvcc(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> dict[str, str]:
    """An environment in which no CUDA compiler is found."""
    monkeypatch.setattr(configuring, "_USUAL_COMPILERS", ())
    tools = tmp_path / "tools"
    tools.mkdir()
    (tools / "cmake").symlink_to(_cmake())
    for name in (
        "make",
        "g++",
        "gcc",
        "c++",
        "cc",
        "as",
        "ld",
        "ar",
        "ranlib",
        "nm",
        "strip",
        "objdump",
        "objcopy",
        "uname",
        "sh",
    ):
        path = shutil.which(name)
        if path is not None:
            (tools / name).symlink_to(path)
    return {"PATH": str(tools), "HOME": str(tmp_path)}


def _cmake() -> str:
    """The machine's, else that which pip put beside Python."""
    found = shutil.which("cmake") or shutil.which("cmake", path=str(Path(sys.executable).parent))
    assert found is not None, "the tests' dependencies (dev) have CMake"
    return found


@pytest.mark.thorough
def test_a_project_is_configured_without_a_toolkit(without_nvcc: dict[str, str], tmp_path: Path) -> None:
    source, folder = DATA / "programs" / "cmake_targets", tmp_path / "made"
    ended = configure(ConfigureMessage(str(source), str(folder), ("-DIMGK_BUILD_BENCH=OFF",)), without_nvcc, Launcher())
    assert (ended["problem"], ended["is_stand_in"]) == ("", True), ended["output"]
    build = read_reply(folder, "made", str(tmp_path))
    assert build is not None
    assert sorted(target.name for target in build.targets) == ["imgk", "imgtool"]
    assert (folder / "generated" / "version.h").is_file()
    assert str(source / "lib" / "CMakeLists.txt") in build.inputs


def test_what_asks_for_the_toolkit_is_answered(without_nvcc: dict[str, str], tmp_path: Path) -> None:
    (tmp_path / "CMakeLists.txt").write_text(_TOOLKIT_USER)
    (tmp_path / "app.cu").write_text("int main() {}")
    ended = configure(ConfigureMessage(str(tmp_path), str(tmp_path / "made")), without_nvcc, Launcher())
    assert ended["problem"] == "", ended["output"]
    build = read_reply(tmp_path / "made", "made", str(tmp_path))
    assert build is not None
    flags = build.targets[0].sources[0].flags
    assert {"-DFOUND=13", "-DCAN=1", "-DNONSENSE=x"} <= set(flags)


def test_a_refusal_and_a_missing_cmake_are_said(without_nvcc: dict[str, str], tmp_path: Path) -> None:
    (tmp_path / "CMakeLists.txt").write_text("cmake_minimum_required(VERSION 3.18)\nproject(p NONE)\nfind_package(NoSuchThing REQUIRED)\n")
    ended = configure(ConfigureMessage(str(tmp_path), str(tmp_path / "made")), without_nvcc, Launcher())
    assert ended["problem"] == "cmake ended with 1"
    assert "NoSuchThing" in ended["output"]
    (tmp_path / "tools" / "cmake").unlink()
    beside_python = (Path(sys.executable).parent / "cmake").exists()
    ended = configure(ConfigureMessage(str(tmp_path), str(tmp_path / "made")), without_nvcc, Launcher())
    assert beside_python or ended["problem"] == "there is no cmake on PATH"


def test_the_users_own_compiler_is_kept(without_nvcc: dict[str, str], tmp_path: Path) -> None:
    nvcc = make_stand_in(tmp_path / "own toolkit")
    (tmp_path / "CMakeLists.txt").write_text("cmake_minimum_required(VERSION 3.18)\nproject(p CUDA)\n")
    message = ConfigureMessage(str(tmp_path), str(tmp_path / "made"))
    ended = configure(message, without_nvcc | {"CUDACXX": str(nvcc)}, Launcher())
    assert (ended["problem"], ended["is_stand_in"]) == ("", False), ended["output"]
    assert str(nvcc) in (tmp_path / "made" / "CMakeCache.txt").read_text()


def test_an_nvcc_that_refuses_what_the_project_asks_is_stood_in_for(without_nvcc: dict[str, str], tmp_path: Path) -> None:
    nvcc = tmp_path / "tools" / "nvcc"
    nvcc.write_text("#!/bin/sh\necho \"nvcc fatal   : Unsupported gpu architecture 'compute_35'\" >&2\nexit 1\n")
    nvcc.chmod(0o755)
    (tmp_path / "CMakeLists.txt").write_text("cmake_minimum_required(VERSION 3.18)\nproject(p CUDA)\n")
    ended = configure(ConfigureMessage(str(tmp_path), str(tmp_path / "made")), without_nvcc, Launcher())
    assert (ended["problem"], ended["is_stand_in"]) == ("", True), ended["output"]


def test_words_of_nvcc_become_those_of_its_host_compiler() -> None:
    words = "-forward-unknown-to-host-compiler --generate-code=arch=compute_90,code=sm_90 -gencode arch=compute_80,code=sm_80 -rdc=true -O3"
    words += (
        " -std=c++14 -std=c++17 -Xcompiler=-fPIC,-Wall -Xcompiler -fopenmp -Xptxas -v -lineinfo -maxrregcount 32 -DN=4 -I inc -isystem /x"
    )
    words += (
        " --expt-relaxed-constexpr -use_fast_math -MD -MT a.o -MF a.d -x cu -dc a.cu -o a.o b.o -lcudart -fmad=false -Werror all-warnings"
    )
    kept = "-O3 -std=c++17 -fPIC -Wall -fopenmp -DN=4 -I inc -isystem /x -MD -MT a.o -MF a.d -c -x c++ a.cu -x none -o a.o b.o -lcudart"
    assert list(g_plus_plus_words(words.split())) == kept.split()


def test_the_stand_in_refuses_and_asks_its_host_compiler_as_nvcc_does(tmp_path: Path) -> None:
    nvcc = make_stand_in(tmp_path / "toolkit")
    (tmp_path / "bad.cu").write_text("int main() { return none; }")
    (tmp_path / "words.rsp").write_text("-DN=4 'bad.cu'")
    refused = subprocess.run((nvcc, "--options-file", "words.rsp", "-c"), cwd=tmp_path, capture_output=True, text=True, check=False)
    assert refused.returncode == 1
    assert "bad.cu" in refused.stderr
    version = subprocess.run((nvcc, ".c", "-Xcompiler", "-dumpfullversion -dumpversion"), capture_output=True, text=True, check=True)
    assert version.stdout.split(".")[0].isdigit()
    missing = subprocess.run((nvcc, "-c", "none.cu"), cwd=tmp_path, capture_output=True, text=True, check=False)
    assert "No input files" in missing.stderr
