"""Runs tests in forks of one process that has loaded all but the engine: loading takes longer than most tests that notice a break.

Started in a copy of the tree. Reads one request a line, ``{"tests": "FILE", "limit_s": 100}``, and answers each with one line, pytest's
exit code and the first test that failed: ``{"code": 1, "failed": "tests/unit/…"}``.
"""

from __future__ import annotations

import gc
import importlib
import json
import os
import pkgutil
import re
import resource
import signal
import sys
import time
from pathlib import Path

ENDED_BY_LIMIT = 124
_HANGS_S = 120
"""A test that takes longer hangs, and so notices."""
_WALL_FACTOR = 8
"""Other processes may have most of the machine: so much more time than that of the processor."""
_BELOW = ("model", "ports", "config", "cuda", "build", "workload", "verify", "measure", "profile", "program", "plan", "memory", "lab")
"""What the engine is built on: none of it imports the engine."""
_FIRST_FAILED = re.compile(r"^(?:FAILED|ERROR) (tests/\S+?(?:::.+?)?)(?: - .*)?$", re.MULTILINE)


def main() -> None:
    _load()
    for line in sys.stdin:
        request = json.loads(line)
        code, said = _run(request["tests"], request["limit_s"])
        failed = _FIRST_FAILED.search(said)
        print(json.dumps({"code": code, "failed": failed[1] if failed else None}), flush=True)


def _load() -> None:
    for room in _BELOW:
        package = importlib.import_module(f"assistant.{room}")
        for module in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
            importlib.import_module(module.name)
    assert not any(name.startswith("assistant.engine") for name in sys.modules)
    gc.freeze()


def _run(tests: str, limit_s: int) -> tuple[int, str]:
    """pytest's exit code, and what it printed."""
    output = Path(f"{tests}.output")
    child = os.fork()
    if child == 0:
        os.setsid()
        resource.setrlimit(resource.RLIMIT_CPU, (limit_s, limit_s + 5))
        with output.open("wb") as file:
            os.dup2(file.fileno(), 1)
            os.dup2(file.fileno(), 2)
        import pytest

        quiet = ("-q", "-rfE", "--tb=no", "-W", "ignore::pytest.PytestAssertRewriteWarning")
        options = ("-x", *quiet, "-p", "no:xdist", "-p", "no:pytest_cov", f"--timeout={_HANGS_S}")
        code = pytest.main([*options, f"@{tests}"])
        sys.stdout.flush()
        os._exit(code)
    until = time.monotonic() + _WALL_FACTOR * limit_s
    while True:
        ended, status = os.waitpid(child, os.WNOHANG)
        if ended:
            code = os.waitstatus_to_exitcode(status)
            return ENDED_BY_LIMIT if code == -signal.SIGXCPU else code, output.read_text("utf-8", "replace")
        if time.monotonic() > until:
            os.killpg(child, signal.SIGKILL)
            os.waitpid(child, 0)
            return ENDED_BY_LIMIT, ""
        time.sleep(0.05)


if __name__ == "__main__":
    main()
