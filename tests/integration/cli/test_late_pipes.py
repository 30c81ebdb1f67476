"""What Python throws away after a command's event loop has ended: closed pipes are no message, defects still are."""

from __future__ import annotations

import subprocess
import sys

import pytest

THROWN_AWAY_LATE = """
from assistant.cli.jobs import run_async

class Kept:
    def __del__(self):
        raise RuntimeError("REASON")

kept = [Kept()]

async def main():
    return 0

run_async(main)
kept.clear()
"""


@pytest.mark.parametrize(("reason", "is_reported"), [("Event loop is closed", False), ("a defect", True)])
def test_pipes_that_are_closed_late_are_no_message(reason: str, is_reported: bool) -> None:
    program = THROWN_AWAY_LATE.replace("REASON", reason)
    ended = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert ("Exception ignored" in ended.stderr) == is_reported, ended.stderr
