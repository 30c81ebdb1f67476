"""A script that loads a PyTorch extension, run as its user runs it: with an allocation for each tensor where that works."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from assistant.device.capture.own import run_own, variables_of_extension
from assistant.device.capture.protocol import CaptureRequest
from assistant.device.capture.started import RAW, CaptureEnvironment
from assistant.device.process import ToolRunner
from assistant.device.toolchain import Toolchain
from assistant.worker.limits import ProgramLimits
from assistant.worker.workspace import Workspace

ALLOCATIONS = "PYTORCH_NO_CUDA_MEMORY_CACHING"
SCRIPT = """\
mkdir raw/$$; echo "own allocations: $PYTORCH_NO_CUDA_MEMORY_CACHING"; echo run >> runs
"""
CAPTURES_GRAPHS = f'{SCRIPT}test -z "$PYTORCH_NO_CUDA_MEMORY_CACHING" || exit 1\n'


def request(folder: Path, **more: bool) -> CaptureRequest:
    return CaptureRequest(
        sources=((str(folder / "halve.cu"), "text"),),
        cwd=folder,
        record=folder / "record",
        cache=folder / "cache",
        limits=ProgramLimits(20.0),
        run_command=("/bin/sh", "run.sh"),
        is_extension=True,
        **more,
    )


def ran(folder: Path, script: str) -> tuple[int | None, str, int, int]:
    """How the script ended, what it printed at last, how often it ran, and how many of its processes' recordings are left."""
    (folder / RAW).mkdir(exist_ok=True)
    (folder / "run.sh").write_text(script)
    (folder / "runs").write_text("")
    around = CaptureEnvironment(
        os.environ, Toolchain(None, None, None, None, None, None, (), ()), ToolRunner(os.environ), Workspace(folder / "w")
    )
    outcome = run_own(request(folder), around, {"PATH": os.defpath, **variables_of_extension(request(folder))}, folder)
    runs = len((folder / "runs").read_text().split())
    return outcome.exit_status, (folder / "stdout").read_text().strip(), runs, len(tuple((folder / RAW).iterdir()))


def test_its_tensors_have_allocations_of_their_own(tmp_path: Path) -> None:
    assert ran(tmp_path, SCRIPT) == (0, "own allocations: 1", 1, 1)


def test_one_that_needs_shared_allocations_gets_them_and_so_do_its_edits(tmp_path: Path) -> None:
    assert ran(tmp_path, CAPTURES_GRAPHS) == (0, "own allocations:", 2, 1)
    assert ALLOCATIONS not in variables_of_extension(request(tmp_path, is_candidate=True))
    assert ran(tmp_path, CAPTURES_GRAPHS)[2] == 1, "what was seen is kept"


@pytest.mark.parametrize("ends", ["exit 1", "kill -SEGV $$"])
def test_one_that_fails_either_way_fails_as_its_user_sees_it(tmp_path: Path, ends: str) -> None:
    assert ran(tmp_path, f"{SCRIPT}{ends}\n")[1:] == ("own allocations:", 2, 1)
    assert ALLOCATIONS in variables_of_extension(request(tmp_path)), "nothing was learned of it"


def test_a_timeline_shows_the_program_as_its_user_runs_it(tmp_path: Path) -> None:
    assert ALLOCATIONS not in variables_of_extension(request(tmp_path, is_timeline=True))
