"""A report read in a process of its own: NVIDIA's library may crash, which would end a GPU's worker with all that it holds.

Example::

    read_report_apart(ReportRequest("/tmp/x.ncu-rep"), os.environ)      # ReportReply; where the library failed, which one and how
"""

from __future__ import annotations

import importlib.metadata
import os
import signal
import subprocess
import sys
from collections.abc import Mapping
from importlib.machinery import PathFinder
from pathlib import Path

from assistant.device.child_commands import report_command
from assistant.device.counters.report import ReportRefusal, ReportReply, ReportRequest, read_report
from assistant.serialize import DecodeError, dumps, loads

__all__ = ["read_report_apart", "serve"]

_DEADLINE_S = 110.0
"""Ends before a command stops waiting for its worker, so that the command can say why."""
_DISTRIBUTION, _MODULE = "ncu-report", "ncu_report"
_REMEDY = "install another version of the package that reads reports: pip install --upgrade ncu-report"


def read_report_apart(request: ReportRequest, environment: Mapping[str, str], deadline_s: float = _DEADLINE_S) -> ReportReply:
    """As `read_report`; a refusal that names the library where its process does not come to an answer."""
    try:
        done = subprocess.run(
            report_command(), input=dumps(request).encode(), stdout=subprocess.PIPE, env=environment, timeout=deadline_s, check=False
        )
    except subprocess.TimeoutExpired:
        return _failed(f"did not end within {deadline_s:g} s", request, environment)
    try:
        return loads(ReportReply, done.stdout.rpartition(b"\n")[2])
    except DecodeError:
        return _failed(_end_of(done.returncode), request, environment)


def serve() -> int:
    """In the new process: read what standard input asks for. What else is printed goes to standard error, or before the answer's line."""
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    answer = dumps(read_report(loads(ReportRequest, sys.stdin.buffer.read())))
    with answers:
        answers.write(f"\n{answer}")
    return 0


def _failed(how: str, request: ReportRequest, environment: Mapping[str, str]) -> ReportReply:
    return ReportReply(None, ReportRefusal(f"NVIDIA's {_library(environment)} {how} while it read {request.path}", _REMEDY))


def _end_of(status: int) -> str:
    return f"was killed by {signal.Signals(-status).name}" if status < 0 else f"ended with status {status}"


def _library(environment: Mapping[str, str]) -> str:
    """``ncu-report 2026.3.1 (/…/ncu_report/__init__.py)``; without a version where it was not installed, as that which comes with ncu."""
    folders = [*filter(None, environment.get("PYTHONPATH", "").split(os.pathsep)), *sys.path]
    found = PathFinder.find_spec(_MODULE, folders)
    place = "" if found is None or found.origin is None else found.origin
    try:
        installed = importlib.metadata.distribution(_DISTRIBUTION)
    except importlib.metadata.PackageNotFoundError:
        return f"{_MODULE} ({place})"
    is_it = Path(str(installed.locate_file(_MODULE))) in (Path(place).parent, Path(place).with_suffix(""))
    return f"{_DISTRIBUTION} {installed.version} ({place})" if is_it else f"{_MODULE} ({place})"
