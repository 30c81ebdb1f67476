"""What loading modules leaves behind: a collector that works on, and an environment as it was."""

from __future__ import annotations

import gc
import os
import signal
import subprocess
import sys

import pytest

from assistant.cli.loading import loading


def test_all_is_as_before_for_what_is_run_then(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENBLAS_NUM_THREADS", raising=False)
    environment, handler = dict(os.environ), signal.getsignal(signal.SIGINT)
    with loading():
        assert not gc.isenabled()
    gc.unfreeze()
    assert gc.isenabled()
    assert (dict(os.environ), signal.getsignal(signal.SIGINT)) == (environment, handler)


def test_a_number_of_threads_that_a_person_chose_stays(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENBLAS_NUM_THREADS", "3")
    with loading():
        assert os.environ["OPENBLAS_NUM_THREADS"] == "3"
    gc.unfreeze()


def test_a_command_starts_no_threads_of_a_numeric_library() -> None:
    code = "from assistant.cli.loading import loading\nwith loading():\n import numpy\nimport os\nprint(len(os.listdir('/proc/self/task')))"
    assert subprocess.run((sys.executable, "-c", code), capture_output=True, text=True, timeout=60, check=True).stdout.strip() == "1"
