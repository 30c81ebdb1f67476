"""Where a command's time goes: every request to a worker, with when it began, how long the worker took and what it was asked.

    python -m benchmarks.requests [--out FILE] [--least SECONDS] -- optimize program.cu --device gpu:0

The command runs in this process as ``kernelopt`` would run it, unchanged; only the one method that all requests go through is wrapped.
The table is printed at the end on standard error: requests that took at least SECONDS (0.2), in order, and the time in which none was
under way, which is the engine's own.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from pathlib import Path
from typing import Any, NamedTuple

from assistant import __main__ as command
from assistant.lab.process import WorkerProcess
from benchmarks.table import heading, row


class _Request(NamedTuple):
    """Seconds are counted from the command's start."""

    worker: str
    op: str
    start_s: float
    end_s: float
    size_bytes: int


def main() -> int:
    words = sys.argv[1:]
    own, asked = (words[: words.index("--")], words[words.index("--") + 1 :]) if "--" in words else (words, [])
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=Path, help="every request as a line of JSON")
    parser.add_argument("--least", type=float, default=0.2)
    options = parser.parse_args(own)
    found: list[_Request] = []
    start_s = time.monotonic()
    if options.out is not None:
        options.out.write_text("", "utf-8")
    _wrap(found, start_s, options.out)
    sys.argv = ["kernelopt", *asked]
    try:
        status = command.main()
    except SystemExit as ended:
        status = int(ended.code or 0)
    whole_s = time.monotonic() - start_s
    print(_table(found, whole_s, options.least), file=sys.stderr)
    return status


def _wrap(found: list[_Request], start_s: float, out: Path | None) -> None:
    unwrapped = WorkerProcess.request

    async def request(self: WorkerProcess, message: dict[str, Any], deadline_s: float) -> dict[str, Any]:
        began_s = time.monotonic() - start_s
        worker = f"{self._module}#{id(self) % 9973}"  # pyright: ignore[reportPrivateUsage] - its name is nowhere else
        try:
            return await unwrapped(self, message, deadline_s)
        finally:
            size = len(json.dumps(message))
            found.append(_Request(worker, str(message.get("op", "")), began_s, time.monotonic() - start_s, size))
            if out is not None:  # now: the command may be killed
                with out.open("a", encoding="utf-8") as file:
                    file.write(f"{json.dumps(found[-1]._asdict())}\n")

    WorkerProcess.request = request


def _table(found: list[_Request], whole_s: float, least_s: float) -> str:
    shown = sorted((request for request in found if request.end_s - request.start_s >= least_s), key=lambda request: request.start_s)
    lines = [
        row(request.worker, request.op, f"{request.start_s:.2f}", f"{request.end_s - request.start_s:.2f}", f"{request.size_bytes:,}")
        for request in shown
    ]
    idle = f"whole: {whole_s:.2f} s; no request under way: {whole_s - _covered(found):.2f} s"
    return "\n".join((heading("worker", "asked", "begins, s", "takes, s", "request, bytes"), *lines, "", idle))


def _covered(found: list[_Request]) -> float:
    """Seconds in which at least one request was under way."""
    covered, end_s = 0.0, 0.0
    for request in sorted(found, key=lambda request: request.start_s):
        covered += max(request.end_s - max(request.start_s, end_s), 0.0)
        end_s = max(end_s, request.end_s)
    return covered


if __name__ == "__main__":
    sys.exit(main())
