"""The capture worker: a JSON request per line on standard input, a JSON reply per line on a private copy of standard output.

It has one thread, as what it runs is limited between fork and exec. It ends with its input; a program under way is killed when the
input hangs up.
"""

from __future__ import annotations

import json
import os
import signal
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path
from types import FrameType
from typing import Any, cast

from assistant.build.full_disk import FULL_ERRORS, REMEDY, full_in_words
from assistant.device.capture.library import injection_library
from assistant.device.capture.protocol import (
    BuildReply,
    CaptureFailed,
    CaptureReply,
    CaptureRequest,
    CollectReply,
    CollectRequest,
    LibraryReply,
    LibraryRequest,
    refusal,
)
from assistant.device.capture.run import build, capture, collect
from assistant.device.capture.started import CaptureEnvironment
from assistant.device.process import ToolRunner, tool_environment
from assistant.device.toolchain import find_toolchain, installed_wheel_tree
from assistant.disk.gpu_lease import GpuBusyError, waits_since_last
from assistant.disk.temporary import OwnFolder
from assistant.errors import KernelOptError
from assistant.serialize import decode, encode
from assistant.worker.child import Interrupted
from assistant.worker.workspace import Workspace


class Capturer:
    """Answers requests one after another."""

    def __init__(self, environment: Mapping[str, str], scratch: Path) -> None:
        """``scratch`` receives the output of programs and their private copies of folders."""
        self._environment = environment
        self._scratch = scratch
        self._around: CaptureEnvironment | None = None

    def answer(self, line: str) -> dict[str, Any]:
        """The reply to one line; never raises for a bad request. Raises Interrupted when the asker has gone."""
        try:
            message = cast("dict[str, Any]", json.loads(line))
            return encode(self._reply(message.pop("op", ""), message))
        except CaptureFailed as failed:
            return refusal(failed)
        except GpuBusyError as error:
            return refusal(CaptureFailed("busy", error.message, "try again, or use --device cpu"))
        except KernelOptError as error:
            return refusal(CaptureFailed("internal", error.message, error.remedy))
        except ValueError as error:
            return refusal(CaptureFailed("internal", f"not JSON: {error}", "kernelopt doctor"))
        except OSError as error:
            if error.errno in FULL_ERRORS:
                return refusal(CaptureFailed("no_space", full_in_words(error.errno, Path(error.filename or self._scratch)), REMEDY))
            return refusal(CaptureFailed("system", f"{error.filename or ''}: {error.strerror or error}".lstrip(": "), "kernelopt doctor"))

    def _reply(self, op: object, message: dict[str, Any]) -> CaptureReply | BuildReply | LibraryReply | CollectReply:
        match op:
            case "capture":
                request: CaptureRequest = decode(CaptureRequest, message)
                return capture(request, self._surroundings(), self._new_folder())
            case "build":
                to_build: CaptureRequest = decode(CaptureRequest, message)
                build(to_build, self._surroundings(), self._new_folder())
                return BuildReply()
            case "library":
                wanted: LibraryRequest = decode(LibraryRequest, message)
                around = self._surroundings()
                return LibraryReply(injection_library(around.toolchain, wanted.cache, around.runner))
            case "collect":
                return collect(decode(CollectRequest, message))
            case _:
                raise KernelOptError("unknown op: expected capture, build, library or collect")

    def _new_folder(self) -> Path:
        return Path(tempfile.mkdtemp(prefix="run-", dir=self._scratch))

    def _surroundings(self) -> CaptureEnvironment:
        if self._around is None:
            runner = ToolRunner(tool_environment(self._environment), ends_with_input=True)
            toolchain = find_toolchain(self._environment, installed_wheel_tree(), runner=runner)
            self._around = CaptureEnvironment(self._environment, toolchain, runner, Workspace(self._scratch / "files"))
        return self._around


def main() -> int:
    replies = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    signal.signal(signal.SIGTERM, _leave)
    try:
        with OwnFolder("capture") as scratch:
            capturer = Capturer(os.environ, scratch)
            while line := sys.stdin.readline():
                if line.strip():
                    answer = capturer.answer(line) | {"waits": waits_since_last()}
                    replies.write(json.dumps(answer, ensure_ascii=True, allow_nan=False, separators=(",", ":")) + "\n")
                    replies.flush()
            return 0
    except Interrupted:
        return 1


def _leave(number: int, frame: FrameType | None) -> None:
    raise SystemExit(128 + number)


if __name__ == "__main__":
    sys.exit(main())
