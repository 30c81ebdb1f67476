"""The emulator as a process: requests, limits, and nothing left behind."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[3]
PROMPTLY_S = 5.0


class Process:
    def __init__(self) -> None:
        self.popen = subprocess.Popen(
            [sys.executable, "-m", "assistant.emulator"], cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE
        )

    def send(self, line: str) -> None:
        assert self.popen.stdin is not None
        self.popen.stdin.write(line.encode() + b"\n")
        self.popen.stdin.flush()

    def ask(self, line: str) -> dict[str, Any]:
        assert self.popen.stdout is not None
        self.send(line)
        return json.loads(self.popen.stdout.readline())


@pytest.fixture
def process() -> Iterator[Process]:
    started = Process()
    yield started
    started.popen.kill()
    started.popen.wait()
    for pipe in (started.popen.stdin, started.popen.stdout, started.popen.stderr):
        assert pipe is not None
        pipe.close()


@pytest.fixture
def script(tmp_path: Path) -> Any:
    """A program that is not ours to choose: any executable obeys the same limits."""

    def write(body: str) -> Path:
        path = tmp_path / "program"
        path.write_text(f"#!{sys.executable}\n{body}\n")
        path.chmod(0o755)
        return path

    return write


def is_alive(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except (FileNotFoundError, ProcessLookupError):  # gone before it was opened, or before it was read
        return False


def await_file(path: Path) -> str:
    for _ in range(int(PROMPTLY_S / 0.02)):
        if path.exists() and path.read_text().endswith("\n"):
            return path.read_text()
        time.sleep(0.02)
    raise AssertionError(f"{path} never appeared")


def await_death(pids: list[int]) -> None:
    for _ in range(int(PROMPTLY_S / 0.02)):
        if not any(is_alive(pid) for pid in pids):
            return
        time.sleep(0.02)
    raise AssertionError(f"still alive: {[pid for pid in pids if is_alive(pid)]}")


SLEEPER = """
import os, subprocess, sys, time
child = subprocess.Popen(["sleep", "60"])
open(sys.argv[1] + ".tmp", "w").write(f"{os.getpid()} {child.pid}\\n")
os.rename(sys.argv[1] + ".tmp", sys.argv[1])
time.sleep(60)
"""


def start_sleeper(process: Process, script: Any, tmp_path: Path) -> list[int]:
    pids = tmp_path / "pids"
    process.send(json.dumps({"op": "run", "binary": str(script(SLEEPER)), "cwd": str(tmp_path), "args": [str(pids)]}))
    return [int(word) for word in await_file(pids).split()]


def test_it_answers_until_its_input_ends(process: Process) -> None:
    assert process.ask('{"op":"ping"}') == {"ok": True}
    assert process.ask('{"op":"ping"}') == {"ok": True}
    assert process.popen.stdin is not None
    process.popen.stdin.close()
    assert process.popen.wait(PROMPTLY_S) == 0


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("{", "not JSON"),
        ("[]", "expected an object"),
        ('{"op":"fly"}', "unknown op 'fly'"),
        ('{"op":"run","binary":"/bin/true","cwd":"/","mode":"fast"}', "mode: expected one of"),
        ('{"op":"run","binary":"/bin/true","cwd":"/","colour":1}', "unknown field 'colour'"),
        ('{"op":"run","binary":"/no/such/program","cwd":"/"}', "No such file"),
    ],
)
def test_a_bad_request_is_refused_and_the_process_lives(process: Process, line: str, message: str) -> None:
    assert message in process.ask(line)["message"]
    assert process.ask('{"op":"ping"}') == {"ok": True}


def test_a_program_that_prints_too_much_is_cut_and_said_so(run: Any, script: Any) -> None:
    reply = run(script("import sys\nfor _ in range(300): sys.stdout.write('x' * 100000)"), limits={"output_bytes": 5000})
    assert reply["output_truncated"]
    assert reply["exit_status"] == 0
    assert Path(reply["stdout_path"]).stat().st_size == 5000


def test_a_program_over_its_time_is_killed_with_its_children(run: Any, script: Any, tmp_path: Path) -> None:
    reply = run(script(SLEEPER), str(tmp_path / "pids"), limits={"wall_s": 1.0})
    assert (reply["timed_out"], reply["exit_status"], reply["signal"]) == (True, None, "SIGKILL")
    await_death([int(word) for word in (tmp_path / "pids").read_text().split()])


def test_a_program_over_its_memory_is_killed(run: Any, script: Any) -> None:
    body = "import time\nx = bytearray(400 << 20)\nfor i in range(0, len(x), 4096): x[i] = 1\ntime.sleep(30)"
    reply = run(script(body), limits={"memory_bytes": 200 << 20})
    assert reply["memory_exceeded"]
    assert not reply["timed_out"]


def test_a_crash_is_named_by_its_signal(run: Any, script: Any) -> None:
    reply = run(script("import os, signal\nos.kill(os.getpid(), signal.SIGSEGV)"))
    assert (reply["exit_status"], reply["signal"]) == (None, "SIGSEGV")


def test_a_background_process_does_not_hold_the_reply(run: Any, script: Any) -> None:
    started = time.monotonic()
    reply = run(script("import subprocess\nsubprocess.Popen(['sleep', '30'])"))
    assert reply["exit_status"] == 0
    assert not reply["timed_out"]
    assert time.monotonic() - started < PROMPTLY_S


def test_no_orphan_when_the_input_hangs_up(process: Process, script: Any, tmp_path: Path) -> None:
    pids = start_sleeper(process, script, tmp_path)
    assert process.popen.stdin is not None
    process.popen.stdin.close()
    await_death([*pids, process.popen.pid])


def test_no_orphan_after_a_termination_signal(process: Process, script: Any, tmp_path: Path) -> None:
    pids = start_sleeper(process, script, tmp_path)
    process.popen.send_signal(signal.SIGTERM)
    process.popen.wait(PROMPTLY_S)
    await_death(pids)


def test_the_program_dies_with_a_killed_emulator(process: Process, script: Any, tmp_path: Path) -> None:
    program, _ = start_sleeper(process, script, tmp_path)
    process.popen.kill()
    await_death([program])
