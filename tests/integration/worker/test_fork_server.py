"""A program that prepares itself once and runs each task in a child: nothing of one task reaches the next, however it ends."""

from __future__ import annotations

import sys
from collections.abc import Generator
from contextlib import closing
from pathlib import Path

import pytest

from assistant.worker.child import Bounds, Command, Outcome
from assistant.worker.fork_server import ForkServer
from assistant.worker.launcher import Launcher
from assistant.worker.sandbox import confine
from tests.integration.emulator_core.test_process import is_alive

ROOT = Path(__file__).parents[3]
PROGRAM = """
import os, sys, threading, time
from assistant.torch_worker.side.forking import serve
known = []
def prepare(task):
    if task.name.startswith("threads"):
        threading.Thread(target=time.sleep, args=(60,), daemon=True).start()
    print("prepared", flush=True)
def run(task, begun_s):
    exec(task.read_text())
    return 0
sys.exit(serve(prepare, run))
"""
"""Each task is a file of Python."""


class Served:
    """The program, in a folder that it may write to."""

    def __init__(self, folder: Path, launcher: Launcher) -> None:
        self.folder = folder
        self.server = ForkServer(Command((sys.executable, "-c", PROGRAM), folder, {"PYTHONPATH": str(ROOT)}), launcher)

    def run(self, text: str, bounds: Bounds | None = None, name: str = "task") -> Outcome:
        task = self.folder / name
        task.write_text(text)
        with confine((self.folder,)) as confinement:
            return self.server.run(str(task), bounds or Bounds(wall_s=60), self.folder / "out", self.folder / "err", confinement)

    def said(self) -> list[str]:
        assert (self.folder / "err").read_text() == ""
        return (self.folder / "out").read_text().split()


@pytest.fixture
def served(tmp_path: Path) -> Generator[Served]:
    with closing(Launcher()) as launcher:
        made = Served(tmp_path, launcher)
        with closing(made.server):
            yield made


def test_what_one_task_changes_the_next_finds_as_it_was(served: Served) -> None:
    change = "known.append(1); os.path.join = None; print(len(known), os.getppid())"
    assert served.run(change).exit_status == 0
    prepared, first, parent = served.said()
    assert served.run(change).exit_status == 0
    assert (prepared, first) == ("prepared", "1") and served.said() == ["1", parent]


@pytest.mark.parametrize(
    ("text", "outcome"),
    [
        ("sys.exit(3)", Outcome(3, None, False, False, False, False)),
        ("raise ValueError('no')", Outcome(1, None, False, False, False, False)),
        ("os.kill(os.getpid(), 11)", Outcome(None, "SIGSEGV", False, False, False, False)),
        ("os.kill(os.getppid(), 9); time.sleep(60)", Outcome(None, "SIGKILL", False, False, False, False)),
        ("print('x' * 3_000_000)", Outcome(0, None, False, False, False, True)),
    ],
)
def test_how_a_task_ended_is_told_and_the_next_runs(served: Served, text: str, outcome: Outcome) -> None:
    assert served.run(text, Bounds(wall_s=60, output_bytes=2_000_000)) == outcome
    assert served.run("print('next')").exit_status == 0
    assert served.said()[-1] == "next"


def test_limits_of_time_memory_and_threads_end_a_task_and_the_next_runs(served: Served) -> None:
    assert served.run("time.sleep(60)", Bounds(wall_s=2)).timed_out
    assert served.run("held = b'x' * (300 << 20); time.sleep(60)", Bounds(wall_s=60, memory_bytes=200 << 20)).memory_exceeded
    many = "[threading.Thread(target=time.sleep, args=(60,)).start() for _ in range(40)]; time.sleep(60)"
    assert served.run(many, Bounds(wall_s=60, task_count=20)).tasks_exceeded
    assert served.run("print('next')").exit_status == 0
    assert served.said()[-1] == "next"


def test_what_a_task_left_running_is_gone_when_it_has_ended(served: Served) -> None:
    family = """
if os.fork() == 0:
    if os.fork() == 0:
        print(os.getpid(), flush=True)
        time.sleep(100)
    os._exit(0)
os.wait()
"""
    assert served.run("pass").exit_status == 0
    assert served.run(family).exit_status == 0
    (left,) = served.said()
    assert not is_alive(int(left))


def test_a_program_with_threads_is_not_forked_but_started_anew(served: Served) -> None:
    """A lock that another thread holds would stay locked in the child."""
    for _ in range(2):
        assert served.run("known.append(1); print(len(known))", name="threads").exit_status == 0
        assert served.said() == ["prepared", "1"]


def test_its_memory_is_not_open_to_tasks(served: Served) -> None:
    text = """
try:
    open(f"/proc/{os.getppid()}/mem", "rb")
except OSError:
    print("refused")
open("/proc/self/mem", "rb")
"""
    assert served.run(text).exit_status == 0
    assert served.said()[-1] == "refused"
