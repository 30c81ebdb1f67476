"""Nothing of a started program outlives the process that asked for it, however either of them ends."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Generator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest

from assistant.worker.launcher import Command, Launcher, Limits, RunningProgram, Streams
from assistant.worker.linux import PR_SET_CHILD_SUBREAPER, prctl
from tests.integration.emulator_core.test_process import await_death, await_file, is_alive

FAMILY = """
import os, sys, time
def leave(mark):
    with open(sys.argv[1] + mark, "w") as file:
        file.write(f"{os.getpid()}\\n")
    time.sleep(100)
if os.fork() == 0:
    leave("child")
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        leave("daemon")
    os._exit(0)
if os.fork() == 0:
    os.setpgid(0, 0)
    leave("group")
leave("own")
"""
"""A child, one that left the process group, and one that left the session and lost its parent."""
ASKER = """
import os, sys
from pathlib import Path
from assistant.worker.launcher import Command, Launcher, Streams
null = os.open(os.devnull, os.O_RDWR)
running = Launcher().start(Command(tuple(sys.argv[1:]), Path("/"), {}), Streams(null, null, null))
running.wait()
"""


@pytest.fixture
def launcher() -> Generator[Launcher]:
    with closing(Launcher()) as made:
        yield made


def start(launcher: Launcher, *arguments: str, cwd: Path = Path("/"), limits: Limits | None = None) -> RunningProgram:
    null = os.open(os.devnull, os.O_RDWR)
    try:
        return launcher.start(Command(arguments, cwd, {"PATH": "/usr/bin:/bin"}), Streams(null, null, null), limits)
    finally:
        os.close(null)


@contextmanager
def closing_end(running: RunningProgram) -> Generator[RunningProgram]:
    try:
        yield running
    finally:
        running.end()


def family(folder: Path) -> list[int]:
    return [int(await_file(folder / name)) for name in ("own", "child", "group", "daemon")]


def test_exit_statuses_and_signals_are_reported(launcher: Launcher) -> None:
    codes = {}
    for script in ("exit 0", "exit 7", "kill -SEGV $$"):
        running = start(launcher, "sh", "-c", script)
        codes[script] = (running.wait(10), running.poll(), running.end(), running.end())
    assert codes == {"exit 0": (0,) * 4, "exit 7": (7,) * 4, "kill -SEGV $$": (-signal.SIGSEGV,) * 4}


def test_who_runs_on_is_waited_for_no_longer_than_asked(launcher: Launcher) -> None:
    running = start(launcher, "sleep", "100")
    assert running.wait(0.05) is None
    assert running.end() == -signal.SIGKILL


def test_the_end_takes_all_that_was_started_wherever_it_went(launcher: Launcher, tmp_path: Path) -> None:
    running = start(launcher, sys.executable, "-c", FAMILY, f"{tmp_path}/")
    processes = family(tmp_path)
    running.end()
    assert [process for process in processes if is_alive(process)] == []


def test_what_a_program_leaves_when_it_ends_by_itself_ends_with_it(launcher: Launcher, tmp_path: Path) -> None:
    running = start(launcher, "sh", "-c", f"setsid sleep 100 & echo $! > {tmp_path}/left")
    assert running.wait(10) == 0
    running.end()
    await_death([int(await_file(tmp_path / "left"))])


@pytest.mark.parametrize("is_group", [False, True], ids=["the process", "its process group"])
def test_a_killed_process_takes_with_it_all_that_it_started(tmp_path: Path, is_group: bool) -> None:
    prctl(PR_SET_CHILD_SUBREAPER, 1)  # so that what is left would be seen
    command = (sys.executable, "-c", ASKER, sys.executable, "-c", FAMILY, f"{tmp_path}/")
    with subprocess.Popen(command, start_new_session=True) as asker:
        processes = family(tmp_path)
        (os.killpg if is_group else os.kill)(asker.pid, signal.SIGKILL)
    await_death(processes)


def test_a_killed_launcher_is_replaced_and_what_it_started_goes_on(launcher: Launcher) -> None:
    first = start(launcher, "sleep", "100")
    server = int(Path(f"/proc/{first.session}/stat").read_text().rpartition(")")[2].split()[1])
    os.kill(server, signal.SIGKILL)
    second = start(launcher, "true")
    assert (second.wait(10), first.poll()) == (0, None)
    second.end()
    assert first.end() == -signal.SIGKILL


def test_the_program_of_a_killed_guard_is_ended(launcher: Launcher, tmp_path: Path) -> None:
    running = start(launcher, "sh", "-c", f"sleep 100 & echo $$ $! > {tmp_path}/pids; wait")
    processes = [int(word) for word in await_file(tmp_path / "pids").split()]
    os.kill(running.session, signal.SIGKILL)
    assert running.wait(10) == -signal.SIGKILL
    running.end()
    await_death(processes)


def test_a_collected_launcher_leaves_no_process() -> None:
    launcher = Launcher()
    running = start(launcher, "true")
    server = int(Path(f"/proc/{running.session}/stat").read_text().rpartition(")")[2].split()[1])
    running.end()
    del launcher
    await_death([server])


@pytest.mark.parametrize(
    ("arguments", "cwd", "error", "named"),
    [
        (("/no/such/program",), "/", FileNotFoundError, "/no/such/program"),
        (("no-such-program",), "/", FileNotFoundError, "no-such-program"),
        (("/etc/passwd",), "/", PermissionError, "/etc/passwd"),
        (("true",), "/no/such/folder", FileNotFoundError, "/no/such/folder"),
        (("true", "a\0b"), "/", OSError, "true"),
    ],
)
def test_what_cannot_be_started_is_named(
    launcher: Launcher, arguments: tuple[str, ...], cwd: str, error: type[OSError], named: str
) -> None:
    with pytest.raises(error) as raised:
        start(launcher, *arguments, cwd=Path(cwd))
    assert raised.value.filename == named
    with closing_end(start(launcher, "true")) as running:
        assert running.wait(10) == 0, "the launcher is none the worse"


def test_limits_are_the_programs_own(launcher: Launcher, tmp_path: Path) -> None:
    big = f"head -c 100000 /dev/zero > {tmp_path}/big"
    killed = start(launcher, "sh", "-c", f"exec {big}", limits=Limits({"RLIMIT_FSIZE": 1000}))
    refused = start(launcher, "sh", "-c", f"exec {big}", limits=Limits({"RLIMIT_FSIZE": 1000}, is_file_limit_an_error=True))
    free = start(launcher, "sh", "-c", f"exec {big}")
    codes = [running.wait(10) for running in (killed, refused, free)]
    for running in (killed, refused, free):
        running.end()
    assert codes == [-signal.SIGXFSZ, 1, 0]


def test_answers_of_a_hundred_programs_at_once_do_not_mix(launcher: Launcher) -> None:
    started = time.monotonic()
    running = [start(launcher, "sh", "-c", f"sleep 0.2; exit {number}") for number in range(100)]
    assert [one.wait(30) for one in running] == list(range(100))
    for one in running:
        one.end()
    assert time.monotonic() - started < 30


def test_a_program_gets_no_descriptor_but_its_three(launcher: Launcher, tmp_path: Path) -> None:
    out = tmp_path / "out"
    script = "import os; print([n for n in range(256) if os.path.exists(f'/proc/self/fd/{n}')])"
    with out.open("wb") as file, Path(os.devnull).open("rb") as null:
        command = Command((sys.executable, "-c", script), Path("/"), {})
        running = launcher.start(command, Streams(null.fileno(), file.fileno(), file.fileno()))
    running.wait(10)
    running.end()
    assert out.read_text() == "[0, 1, 2]\n"
