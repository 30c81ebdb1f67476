"""A process that has loaded the command line once and forks for each run: the same code as ``python -m assistant``, without its start.

Loading takes a second or two of each short command. What a start itself does (imports, the interpreter's settings, streams that were given)
is proved by tests that start a process. A forked command is a session of its own, has the arguments, environment and folder that it is
given, and ends as a process ends; what it leaves behind is adopted by the test process like that of any other. Example::

    prepared = Prepared(environment)
    prepared.run(("check", "a.cu"), environment, folder, deadline_s=60)     # Finished(status=0, out="…", err="")
"""

from __future__ import annotations

import atexit
import contextlib
import dataclasses
import gc
import importlib
import json
import os
import pkgutil
import signal
import subprocess
import sys
import tempfile
import threading
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import IO, Any, NamedTuple, NoReturn

from assistant.record import Record

__all__ = ["Finished", "Prepared"]

_LOADED = ("assistant.cli", "assistant.engine", "assistant.plan", "assistant.memory", "assistant.lab")


class Finished(NamedTuple):
    """A command that has ended."""

    status: int
    """As `subprocess.Popen.returncode`."""
    out: str
    err: str


class Prepared:
    """The process that forks, of one test process; it ends with it."""

    def __init__(self, environment: Mapping[str, str]) -> None:
        self._is_busy = threading.Lock()
        self._process = subprocess.Popen(
            (sys.executable, "-P", "-m", __name__),
            env=dict(environment),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            encoding="utf-8",
            start_new_session=True,
        )

    def run(self, arguments: Sequence[str], environment: Mapping[str, str], folder: Path, deadline_s: float) -> Finished | None:
        """Run to the end; None while another run goes on. Raises AssertionError for a command that comes to no end, which is killed."""
        if not self._is_busy.acquire(blocking=False):
            return None
        try:
            with tempfile.TemporaryFile("w+b") as out, tempfile.TemporaryFile("w+b") as err:
                status, is_late = self._status(arguments, environment, folder, (out, err), deadline_s)
                finished = Finished(status, _text(out), _text(err))
        finally:
            self._is_busy.release()
        if is_late:
            raise AssertionError(f"no end after {deadline_s:.0f} s: {arguments}\n{finished.out}\n{finished.err}")
        return finished

    def _status(
        self,
        arguments: Sequence[str],
        environment: Mapping[str, str],
        folder: Path,
        streams: tuple[IO[bytes], IO[bytes]],
        deadline_s: float,
    ) -> tuple[int, bool]:
        """(exit status, whether it had to be killed)."""
        asked = {
            "arguments": arguments,
            "environment": dict(environment),
            "folder": str(folder),
            "streams": [f"/proc/{os.getpid()}/fd/{stream.fileno()}" for stream in streams],
        }
        assert self._process.stdin is not None and self._process.stdout is not None
        self._process.stdin.write(json.dumps(asked) + "\n")
        self._process.stdin.flush()
        pid = int(self._process.stdout.readline())
        late = threading.Event()

        def end() -> None:
            late.set()
            with contextlib.suppress(ProcessLookupError):
                os.killpg(pid, signal.SIGKILL)

        timer = threading.Timer(deadline_s, end)
        timer.start()
        status = int(self._process.stdout.readline())
        timer.cancel()
        return status, late.is_set()


def _text(stream: IO[bytes]) -> str:
    """As a text stream reads it, with universal newlines."""
    stream.seek(0)
    return stream.read().decode("utf-8").replace("\r\n", "\n").replace("\r", "\n")


def _serve() -> None:
    """Fork for each request until the test process ends."""
    os.environ["OPENBLAS_NUM_THREADS"] = "1"
    for package in map(importlib.import_module, _LOADED):
        for module in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
            importlib.import_module(module.name)
    del os.environ["OPENBLAS_NUM_THREADS"]
    _make_records(Record)
    gc.freeze()
    assert threading.active_count() == 1, "a thread would not be there after a fork"
    requests, answers = os.fdopen(os.dup(0), encoding="utf-8"), os.fdopen(os.dup(1), "w", encoding="utf-8")
    nowhere = os.open(os.devnull, os.O_RDWR)
    for stream in (0, 1):
        os.dup2(nowhere, stream)
    while line := requests.readline():
        pid = os.fork()
        if pid == 0:
            os.close(requests.fileno())
            os.close(answers.fileno())
            _end(_run(json.loads(line)))
        print(pid, file=answers, flush=True)
        print(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]), file=answers, flush=True)


def _make_records(base: type) -> None:
    """What each command would make of these classes when it first uses them."""
    for record in base.__subclasses__():
        dataclasses.fields(record)
        _make_records(record)


def _run(asked: dict[str, Any]) -> int:
    """In the fork: become the command that was asked for."""
    os.setsid()
    signal.signal(signal.SIGINT, signal.default_int_handler)
    os.environ.clear()
    os.environ.update(asked["environment"])
    os.chdir(asked["folder"])
    for number, path in enumerate(asked["streams"], start=1):
        os.dup2(os.open(path, os.O_RDWR | os.O_APPEND), number)
    tempfile.tempdir = None
    sys.argv = ["assistant", *asked["arguments"]]
    return importlib.import_module("assistant.__main__").main()


def _end(code: int) -> NoReturn:
    """End as the interpreter does, but for taking apart all that was loaded, which copies memory that forks share."""
    threading._shutdown()  # type: ignore[attr-defined]  # waits for threads
    atexit._run_exitfuncs()
    try:
        sys.stdout.flush()
        sys.stderr.flush()
    except OSError:
        code = 120  # as the interpreter says it
    os._exit(code)


if __name__ == "__main__":
    _serve()
