"""The process that commands are forked from ends before the test process does: Python warns where it still runs."""

from __future__ import annotations

import os
import subprocess
import sys

from tests.e2e.cli.harness import ROOT

_TESTS = """
import atexit
from tests.e2e.cli.harness import alive, prepared
atexit.register(lambda: print([process.command for process in alive()]))
prepared()
print(len(alive()))
"""


def test_it_has_ended_when_the_test_process_takes_itself_apart() -> None:
    ended = subprocess.run(
        (sys.executable, "-c", _TESTS), env={**os.environ, "PYTHONPATH": str(ROOT)}, capture_output=True, text=True, check=True, timeout=60
    )
    assert ended.stdout.split("\n") == ["1", "[]", ""]
