"""Processes below a profiler, those that drive CUPTI and those that read reports end with their parent, however early that is killed."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

STARTED_BY = {
    "sampling": """
import os
from assistant.device.counters.sampling_process import SamplingProcess
SamplingProcess(Path("none.so"), os.environ)
""",
    "relaunch": """
import subprocess
from assistant.device.child_commands import relaunch_command
subprocess.Popen(relaunch_command(Path("none.json")))
""",
    "report": """
import subprocess
from assistant.device.child_commands import report_command
subprocess.Popen(report_command(), stdin=subprocess.PIPE)
""",
}
BLOCKED = """
import os, pathlib, sys, time


class Blocker:
    def find_spec(self, name, path=None, target=None):
        if name in ("assistant.device.driver", "assistant.device.counters.report_process") and "-c" not in sys.orig_argv:
            pathlib.Path(os.environ["CHILD"]).write_text(f"{os.getpid()} ")
            time.sleep(60)


sys.meta_path.insert(0, Blocker())
"""
"""Python's ``sitecustomize``: what takes long to import takes for ever."""


def becomes(condition: Callable[[], bool]) -> bool:
    end_s = time.monotonic() + 20
    while not condition():
        if time.monotonic() > end_s:
            return False
        time.sleep(0.01)
    return True


def is_running(pid: int) -> bool:
    try:
        state = Path(f"/proc/{pid}/stat").read_text("utf-8").rpartition(")")[2].split()[0]
    except (FileNotFoundError, ProcessLookupError):  # gone before it was opened, or before it was read
        return False
    return state != "Z"


@pytest.mark.parametrize("started_by", STARTED_BY)
def test_a_process_that_still_imports_ends_with_a_parent_that_is_killed(tmp_path: Path, started_by: str) -> None:
    (tmp_path / "sitecustomize.py").write_text(BLOCKED, "utf-8")
    told = tmp_path / "child"
    paths = os.pathsep.join((str(tmp_path), *filter(None, (os.environ.get("PYTHONPATH"),))))
    program = f"import time\nfrom pathlib import Path\n{STARTED_BY[started_by]}\ntime.sleep(60)"
    with subprocess.Popen((sys.executable, "-c", program), env={**os.environ, "PYTHONPATH": paths, "CHILD": str(told)}) as parent:
        try:
            assert becomes(lambda: told.exists() and told.read_text("utf-8").endswith(" "))
        finally:
            parent.kill()
    child = int(told.read_text("utf-8"))
    try:
        assert becomes(lambda: not is_running(child))
    finally:
        if is_running(child):
            os.kill(child, 9)


def test_a_process_whose_parent_has_died_before_it_could_say_so_does_nothing() -> None:
    with subprocess.Popen((sys.executable, "-c", "")) as gone:
        pass
    command = (sys.executable, "-P", "-m", "assistant.device.with_parent", "sampling", str(gone.pid), "none.so")
    done = subprocess.run(command, capture_output=True, text=True, timeout=20, check=False)
    assert (done.returncode, done.stderr) == (1, "")
