"""The compile worker's loop: one request per line on standard input, one answer per line on a private copy of standard output.

``--gpu N`` makes it the worker of a GPU instead (``gpu_worker``). It ends with its input. Whatever else prints (a compiler's library,
a stray print) goes to standard error, so that answers are never mixed with noise.
"""

from __future__ import annotations

import argparse
import json
import os
import queue
import signal
import sys
import threading
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import FrameType
from typing import IO, Any, cast

from assistant.device.compile import compile_program
from assistant.device.own_kernels import helpers_request
from assistant.device.preprocess import preprocess
from assistant.device.process import ToolRunner, tool_environment
from assistant.device.protocol import CANCEL, PROTOCOL_VERSION, compile_request, failure, success
from assistant.device.toolchain import Toolchain, find_toolchain, installed_wheel_tree
from assistant.errors import KernelOptError
from assistant.serialize import decode

_DRIVERS = ("auto", "cuda", "pycuda")


class Worker:
    """Answers requests one after another; finds the tools once, when first needed, and looks again while there is no nvcc."""

    def __init__(self, environment: Mapping[str, str], runner: ToolRunner) -> None:
        self._environment = environment
        self._runner = runner
        self._toolchain: Toolchain | None = None

    def answer(self, line: str) -> dict[str, Any]:
        """The reply to one line; never raises for a bad request."""
        try:
            message = json.loads(line)
        except ValueError as error:
            return failure(None, "bad_request", f"not JSON: {error}")
        if not isinstance(message, dict):
            return failure(None, "bad_request", "expected an object")
        fields = cast("dict[str, Any]", message)
        try:
            return self._dispatch(fields)
        except KernelOptError as error:
            return failure(fields.get("id"), "bad_request", error.message)

    def _dispatch(self, message: dict[str, Any]) -> dict[str, Any]:
        request_id = message.get("id")
        match message.get("op"):
            case "ping":
                return success(request_id, {"version": PROTOCOL_VERSION})
            case "toolchain":
                return success(request_id, self._find().describe())
            case "compile":
                request = compile_request(message)
                if not request.sources:
                    return failure(request_id, "bad_request", "sources: expected at least one (path, text)")
                if any(not Path(path).is_absolute() for path, _ in request.sources):
                    return failure(request_id, "bad_request", "sources: expected absolute paths")
                return success(request_id, compile_program(request, self._find(), self._runner))
            case "preprocess":
                return success(request_id, preprocess(compile_request(message), self._find(), self._runner))
            case "helpers":
                return success(request_id, compile_program(helpers_request(message), self._find(), self._runner))
            case "reference":
                fields = {key: value for key, value in message.items() if key not in ("op", "id")}
                from assistant.device.reference import ReferenceRequest, run_reference  # NumPy, a third of a start

                return success(request_id, run_reference(decode(ReferenceRequest, fields)))
            case "survey":
                from assistant.device.cupti import find_cupti
                from assistant.device.survey import survey

                cupti = find_cupti(self._find(), installed_wheel_tree())
                return success(request_id, survey(self._environment, Path("/"), None if cupti is None else cupti.library))
            case "read_report":
                from assistant.device.counters.report import ReportRequest
                from assistant.device.counters.report_process import read_report_apart

                fields = {key: value for key, value in message.items() if key not in ("op", "id")}
                return success(request_id, read_report_apart(decode(ReportRequest, fields), self._environment))
            case other:
                known = "ping, toolchain, compile, preprocess, helpers, reference, survey, read_report"
                return failure(request_id, "bad_request", f"unknown op {other!r}; known: {known}")

    def _find(self) -> Toolchain:
        if self._toolchain is None or self._toolchain.nvcc is None:
            self._toolchain = find_toolchain(self._environment, installed_wheel_tree(), runner=self._runner)
        return self._toolchain


def main(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m assistant.device")
    parser.add_argument("--gpu", type=int, metavar="N", help="work on this GPU, as nvidia-smi counts")
    parser.add_argument("--driver", choices=_DRIVERS, default=_DRIVERS[0], help="Python binding of CUDA's driver API")
    chosen = parser.parse_args(arguments)
    return _serve_compiles() if chosen.gpu is None else _serve_gpu(chosen.driver, chosen.gpu)


def _serve_gpu(driver: str, index: int) -> int:
    from assistant.device.gpu_worker import serve
    from assistant.device.opening import open_driver

    return serve(lambda: open_driver(driver, index))


def _serve_compiles() -> int:
    replies = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    runner = ToolRunner(tool_environment(os.environ))
    _leave_on_terminate(runner)
    lines: queue.Queue[str | None] = queue.Queue()
    threading.Thread(target=_read_lines, args=(sys.stdin, lines, runner, os.getppid()), daemon=True).start()
    worker = Worker(os.environ, runner)
    while (line := lines.get()) is not None:
        if line.strip():
            _write(replies, worker.answer(line))
    return 0


def _write(replies: IO[str], reply: dict[str, Any]) -> None:
    replies.write(json.dumps(reply, ensure_ascii=True, allow_nan=False, separators=(",", ":")) + "\n")
    replies.flush()


def _read_lines(stream: IO[str], lines: queue.Queue[str | None], runner: ToolRunner, parent: int) -> None:
    """Pass lines on; at the end of input let what is queued finish, unless its reader is gone."""
    for line in stream:
        if line.strip() == CANCEL:
            runner.call_off()
        else:
            runner.resume()
            lines.put(line)
    lines.put(None)
    if os.getppid() != parent:
        runner.stop()


def _leave_on_terminate(runner: ToolRunner) -> None:
    """End what runs, then this process, from another thread: the one that is interrupted may hold the locks that this needs."""

    def stop_and_leave(signal_number: int) -> None:
        runner.stop()
        os._exit(128 + signal_number)

    def leave(signal_number: int, frame: FrameType | None) -> None:
        threading.Thread(target=stop_and_leave, args=(signal_number,), daemon=True).start()

    signal.signal(signal.SIGTERM, leave)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
