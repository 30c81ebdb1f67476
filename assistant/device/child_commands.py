"""Command lines of processes that end with the one that starts them (``with_parent`` runs in them). Example::

relaunch_command(Path("request.json"))            # recorded launches, below a profiler or a sanitizer
sampling_command(Path("counters.so"))             # a process that drives CUPTI, below this one
report_command()                                  # a process that reads a profiler's report, below this one
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

__all__ = ["relaunch_command", "report_command", "sampling_command"]

_MODULE = "assistant.device.with_parent"


def relaunch_command(request: Path) -> tuple[str, ...]:
    """For a tool that starts it: who its parent is, only that process sees."""
    return (sys.executable, "-P", "-m", _MODULE, "relaunch", str(request))


def sampling_command(library: Path) -> tuple[str, ...]:
    """For the process that asks."""
    return (sys.executable, "-P", "-m", _MODULE, "sampling", str(os.getpid()), str(library))


def report_command() -> tuple[str, ...]:
    """For the process that asks."""
    return (sys.executable, "-P", "-m", _MODULE, "report", str(os.getpid()))
