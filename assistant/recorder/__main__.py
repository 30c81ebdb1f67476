"""The recording worker: a JSON request per line on standard input, a JSON reply per line on a private copy of standard output.

It ends with its input; a build under way is killed when the input hangs up.
"""

from __future__ import annotations

import json
import os
import signal
import sys
import tempfile
from pathlib import Path
from types import FrameType
from typing import Any, cast

from assistant.build.full_disk import FULL_ERRORS, REMEDY, full_in_words
from assistant.disk.temporary import OwnFolder
from assistant.errors import KernelOptError
from assistant.recorder.protocol import RecordingFailedError, RecordRequest
from assistant.recorder.recording import record
from assistant.serialize import decode, encode
from assistant.worker.child import Interrupted
from assistant.worker.launcher import Launcher


def answer(line: str, scratch: Path, launcher: Launcher) -> dict[str, Any]:
    """The reply to one line; never raises for a bad request. Raises Interrupted when the asker has gone."""
    try:
        message = cast("dict[str, Any]", json.loads(line))
        if message.pop("op", "") != "record":
            return _failure("internal", "unknown op: expected record", "kernelopt doctor")
        request: RecordRequest = decode(RecordRequest, message)
        return encode(record(request, os.environ, Path(tempfile.mkdtemp(prefix="build-", dir=scratch)), launcher))
    except RecordingFailedError as failed:
        return _failure(failed.kind, failed.message, failed.remedy)
    except KernelOptError as error:
        return _failure("internal", error.message, error.remedy)
    except ValueError as error:
        return _failure("internal", f"not JSON: {error}", "kernelopt doctor")
    except OSError as error:
        if error.errno in FULL_ERRORS:
            return _failure("no_space", full_in_words(error.errno, Path(error.filename or scratch)), REMEDY)
        return _failure("system", f"{error.filename or ''}: {error.strerror or error}".lstrip(": "), "kernelopt doctor")


def _failure(kind: str, message: str, remedy: str) -> dict[str, Any]:
    return {"failure": kind, "message": message, "remedy": remedy}


def main() -> int:
    """Serve until the input ends; 0."""
    replies = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    signal.signal(signal.SIGTERM, _leave)
    launcher = Launcher()
    try:
        with OwnFolder("recorder") as scratch:
            while line := sys.stdin.readline():
                if line.strip():
                    reply = answer(line, scratch, launcher)
                    replies.write(json.dumps(reply, ensure_ascii=True, allow_nan=False, separators=(",", ":")) + "\n")
                    replies.flush()
            return 0
    except Interrupted:
        return 1
    finally:
        launcher.close()


def _leave(number: int, frame: FrameType | None) -> None:
    raise SystemExit(128 + number)


if __name__ == "__main__":
    sys.exit(main())
