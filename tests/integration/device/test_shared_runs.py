"""An edited program shares the GPUs where its steps are not timed; what fails so is run once more, with the GPUs to itself."""

from __future__ import annotations

import fcntl
import os
import threading
import uuid
from collections.abc import Iterator
from pathlib import Path

import pytest

from assistant.device.capture.edited import run_edited
from assistant.device.capture.protocol import CaptureRequest
from assistant.device.capture.started import RAW, CaptureEnvironment
from assistant.device.process import ToolRunner
from assistant.device.toolchain import Toolchain
from assistant.disk.gpu_lease import Lease, lock_folder
from assistant.worker.limits import ProgramLimits
from assistant.worker.workspace import Workspace

SCRIPT = """\
mkdir raw/$$
echo run >> runs
sleep 0.5
echo "runs: $(wc -l < runs)"
"""
FAILS_BESIDE_OTHERS = f'{SCRIPT}test -e "$IS_ALONE"\n'
_POLL_S = 0.01


class Observer:
    """Notes how a GPU's lock is held over time, and makes ``is_alone`` once it is held alone."""

    def __init__(self, gpu: str, is_alone: Path) -> None:
        self.seen: list[str] = []
        self._lock = lock_folder() / f"kernelopt-{gpu}.lock"
        self._is_alone = is_alone
        self._has_ended = threading.Event()
        self._thread = threading.Thread(target=self._watch)

    def __enter__(self) -> Observer:
        self._lock.touch()
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._has_ended.set()
        self._thread.join()

    def _watch(self) -> None:
        while not self._has_ended.wait(_POLL_S):
            state = self._state()
            if state and self.seen[-1:] != [state]:
                self.seen.append(state)
            if state == "alone":
                self._is_alone.touch()

    def _state(self) -> str:
        with self._lock.open() as file:
            try:
                fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
            except BlockingIOError:
                return "alone"
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                return "shared"
            return ""


@pytest.fixture
def gpu() -> Iterator[str]:
    """A UUID that no GPU has."""
    name = f"GPU-{uuid.uuid4()}"
    yield name
    for lock in lock_folder().glob(f"kernelopt-{name}.*"):
        lock.unlink()


def ran(folder: Path, gpu: str, script: str, *, is_timeline: bool = False) -> tuple[int | None, str, list[str]]:
    """How the script ended, what it printed at last, and how the GPU was held."""
    project, out = folder / "project", folder / "out"
    (project / "raw").mkdir(parents=True)
    (out / RAW).mkdir(parents=True)
    (project / "run.sh").write_text(script)
    request = CaptureRequest(
        sources=((str(project / "a.cu"), "text"),),
        cwd=project,
        record=folder / "record",
        cache=folder / "cache",
        limits=ProgramLimits(20.0),
        run_command=("/bin/sh", "run.sh"),
        is_candidate=True,
        gpu_uuids=(gpu,),
        is_timeline=is_timeline,
    )
    tools = Toolchain(None, None, None, None, None, None, (), ())
    around = CaptureEnvironment(os.environ, tools, ToolRunner(os.environ), Workspace(folder / "w"))
    is_alone = folder / "is-alone"
    with Observer(gpu, is_alone) as observer:
        outcome, _ = run_edited(request, around, {"PATH": os.defpath, "IS_ALONE": str(is_alone)}, out)
    return outcome.exit_status, (out / "stdout").read_text(), observer.seen


def test_a_recorded_run_shares_the_gpu_with_others_that_measure_nothing(tmp_path: Path, gpu: str) -> None:
    with Lease(gpu, lock_folder()).held(alone=False):
        assert ran(tmp_path, gpu, SCRIPT) == (0, "runs: 1\n", ["shared"])


def test_one_that_fails_beside_others_is_run_again_alone_in_a_fresh_copy(tmp_path: Path, gpu: str) -> None:
    assert ran(tmp_path, gpu, FAILS_BESIDE_OTHERS) == (0, "runs: 1\n", ["shared", "alone"])


def test_a_timeline_has_the_gpu_alone(tmp_path: Path, gpu: str) -> None:
    assert ran(tmp_path, gpu, SCRIPT, is_timeline=True) == (0, "runs: 1\n", ["alone"])
