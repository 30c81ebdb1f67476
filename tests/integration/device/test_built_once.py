"""A script that loads a PyTorch extension, run until that is built: nothing of it is loaded, and the next run builds nothing."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from assistant.device.capture.kept_build import BUILT, build_key, build_only_command
from assistant.device.capture.protocol import CaptureRequest
from assistant.worker.limits import ProgramLimits

pytest.importorskip("torch", reason="PyTorch builds the extension")
pytest.importorskip("ninja", reason="PyTorch builds with ninja")

SCRIPT = """\
import sys

import near
from torch.utils.cpp_extension import load

try:
    load("noted", ["noted.cpp"], is_python_module=False)
except BaseException as error:
    print("handled", error)
    sys.exit(3)
print("result", near.VALUE, sys.argv[1:])
"""
NOTED = """\
#include <cstdlib>
#include <fstream>
struct Loaded { Loaded() { std::ofstream(std::getenv("LOADED_FILE")) << "loaded"; } } loaded;
"""


def request(folder: Path, **more: object) -> CaptureRequest:
    fields: dict[str, object] = {
        "sources": ((str(folder / "run.py.cuda_0.cu"), "text"),),
        "cwd": folder,
        "record": folder / "record",
        "cache": folder / "cache",
        "limits": ProgramLimits(60.0),
        "run_command": (sys.executable, "run.py", "--steps", "1"),
        "is_extension": True,
    }
    return CaptureRequest(**(fields | more))  # pyright: ignore[reportArgumentType]


def run(folder: Path, command: tuple[str, ...]) -> subprocess.CompletedProcess[str]:
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    environment = {**os.environ, "PATH": path, "TORCH_EXTENSIONS_DIR": str(folder / "built"), "LOADED_FILE": str(folder / "loaded")}
    return subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, timeout=300, check=False)


def test_the_script_ends_once_its_extension_is_built(tmp_path: Path) -> None:
    (tmp_path / "near.py").write_text("VALUE = 21\n")
    (tmp_path / "run.py").write_text(SCRIPT)
    (tmp_path / "noted.cpp").write_text(NOTED)
    asked = request(tmp_path)
    assert asked.run_command is not None
    command = build_only_command(asked, asked.run_command)
    assert command is not None
    done = run(tmp_path, command)
    assert (done.returncode, done.stdout) == (BUILT, ""), done.stderr
    assert not (tmp_path / "loaded").exists()
    (library,) = (tmp_path / "built").rglob("noted.so")
    before = library.stat().st_mtime_ns
    done = run(tmp_path, asked.run_command)
    assert (done.returncode, done.stdout) == (0, "result 21 ['--steps', '1']\n"), done.stderr
    assert library.stat().st_mtime_ns == before and (tmp_path / "loaded").exists()


@pytest.mark.parametrize(
    "command",
    [("make", "test"), (sys.executable, "-m", "train"), (sys.executable, "-c", "pass"), ("./run.py",)],
    ids=["make", "module", "text", "script"],
)
def test_other_commands_are_run_as_they_are(tmp_path: Path, command: tuple[str, ...]) -> None:
    assert build_only_command(request(tmp_path, run_command=command), command) is None


def test_a_key_differs_by_text_by_command_and_by_whose_it_is(tmp_path: Path) -> None:
    keys = [
        build_key(request(tmp_path, **more))
        for more in (
            {},
            {"is_candidate": True},
            {"sources": ((str(tmp_path / "run.py.cuda_0.cu"), "other"),)},
            {"run_command": (sys.executable, "run.py", "--steps", "2")},
            {"build_command": ("make",)},
        )
    ]
    assert None not in keys and len(set(keys)) == len(keys)
    assert build_key(request(tmp_path, run_command=None, is_extension=False)) is None
    assert build_key(request(tmp_path, is_extension=False)) is None, "a command that builds nothing first"
