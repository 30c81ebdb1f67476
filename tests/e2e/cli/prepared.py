"""A process that has loaded the command line once and forks for each run: the same code as ``python -m assistant``, without its start.

Loading takes a second or two of each short command, and of each language server. What a start itself does (imports, the interpreter's
settings, streams that were given) is proved by tests that start a process. A forked command is a session of its own, has the arguments,
environment, folder and streams that it is given, and ends as a process ends. It is a child of the test process, which adopts orphans, as
is what it leaves behind. Example::

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
from typing import IO, Any, NamedTuple, NoReturn, TextIO

from assistant.record import Record

__all__ = ["Finished", "Prepared"]

_LOADED = ("assistant.cli", "assistant.engine", "assistant.plan", "assistant.memory", "assistant.lab")
_LOADED_FIRST = {"lsp": ("assistant.editor", "lsp")}
"""By the command: what is loaded in addition, once one is asked for."""
_OPENED = {"0": os.O_RDONLY, "1": os.O_WRONLY | os.O_APPEND, "2": os.O_WRONLY | os.O_APPEND}
"""How each of a command's streams is opened."""


class Finished(NamedTuple):
    """A command that has ended."""

    status: int
    """As `subprocess.Popen.returncode`."""
    out: str
    err: str


class Prepared:
    """The process that forks, of one test process; it ends with it."""

    def __init__(self, environment: Mapping[str, str]) -> None:
        self._one_at_a_time = threading.Lock()
        self._process = subprocess.Popen(
            (sys.executable, "-P", "-m", __name__),
            env=dict(environment),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            encoding="utf-8",
            start_new_session=True,
        )
        atexit.register(self._close)

    def run(self, arguments: Sequence[str], environment: Mapping[str, str], folder: Path, deadline_s: float) -> Finished:
        """Run to the end. Raises AssertionError for a command that comes to no end, which is killed."""
        with tempfile.TemporaryFile("w+b") as out, tempfile.TemporaryFile("w+b") as err:
            pid = self.start(arguments, environment, folder, {1: out.fileno(), 2: err.fileno()})
            status, is_late = _waited(pid, deadline_s)
            finished = Finished(status, _text(out), _text(err))
        if is_late:
            raise AssertionError(f"no end after {deadline_s:.0f} s: {arguments}\n{finished.out}\n{finished.err}")
        return finished

    def start(self, arguments: Sequence[str], environment: Mapping[str, str], folder: Path, streams: Mapping[int, int]) -> int:
        """The process id, a child of this process, which has to wait for it. ``streams``: by the number that a descriptor of this process,
        of a file or a pipe, has there; ``/dev/null`` is what is read otherwise."""
        asked = {
            "arguments": arguments,
            "environment": dict(environment),
            "folder": str(folder),
            "streams": {number: f"/proc/{os.getpid()}/fd/{descriptor}" for number, descriptor in streams.items()},
        }
        assert self._process.stdin is not None and self._process.stdout is not None
        with self._one_at_a_time:
            self._process.stdin.write(json.dumps(asked) + "\n")
            self._process.stdin.flush()
            return int(self._process.stdout.readline())

    def _close(self) -> None:
        """End it and wait for it; what it forked goes on."""
        self._process.kill()
        self._process.communicate()


def _waited(pid: int, deadline_s: float) -> tuple[int, bool]:
    """(exit status, whether it had to be killed)."""
    late = threading.Event()

    def end() -> None:
        late.set()
        with contextlib.suppress(ProcessLookupError):
            os.killpg(pid, signal.SIGKILL)

    timer = threading.Timer(deadline_s, end)
    timer.start()
    status = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    timer.cancel()
    return status, late.is_set()


def _text(stream: IO[bytes]) -> str:
    """As a text stream reads it, with universal newlines."""
    stream.seek(0)
    return stream.read().decode("utf-8").replace("\r\n", "\n").replace("\r", "\n")


def _serve() -> None:
    """Fork for each request until the test process ends."""
    _load(_LOADED)
    requests, answers = os.fdopen(os.dup(0), encoding="utf-8"), os.fdopen(os.dup(1), "w", encoding="utf-8")
    nowhere = os.open(os.devnull, os.O_RDWR)
    for stream in (0, 1):
        os.dup2(nowhere, stream)
    while line := requests.readline():
        asked = json.loads(line)
        _load(_LOADED_FIRST.pop(next(iter(asked["arguments"]), ""), ()))
        streams = {int(number): os.open(path, _OPENED[number]) for number, path in asked["streams"].items()}
        pid = _forked()
        if pid == 0:
            os.close(requests.fileno())
            os.close(answers.fileno())
            _end(_run(asked, streams))
        for opened in streams.values():
            os.close(opened)
        print(pid, file=answers, flush=True)


def _forked() -> int:
    """As `os.fork`, but for whose child it is: the test process's, which adopts it from the process between, which has ended."""
    told, tell = os.pipe()
    between = os.fork()
    if between == 0:
        pid = os.fork()
        if pid == 0:
            os.close(told)
            os.close(tell)
            return 0
        os.write(tell, str(pid).encode())
        os._exit(0)
    os.waitpid(between, 0)
    pid = int(os.read(told, 32))
    os.close(told)
    os.close(tell)
    return pid


def _load(packages: Sequence[str]) -> None:
    """Import every module of ``packages``."""
    if not packages:
        return
    os.environ["OPENBLAS_NUM_THREADS"] = "1"
    for package in map(importlib.import_module, packages):
        for module in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
            importlib.import_module(module.name)
    del os.environ["OPENBLAS_NUM_THREADS"]
    _make_records(Record)
    gc.freeze()
    assert threading.active_count() == 1, "a thread would not be there after a fork"


def _make_records(base: type) -> None:
    """What each command would make of these classes when it first uses them."""
    for record in base.__subclasses__():
        dataclasses.fields(record)
        _make_records(record)


def _run(asked: dict[str, Any], streams: Mapping[int, int]) -> int:
    """In the fork: become the command that was asked for."""
    os.setsid()
    signal.signal(signal.SIGINT, signal.default_int_handler)
    os.environ.clear()
    os.environ.update(asked["environment"])
    os.chdir(asked["folder"])
    for number, opened in streams.items():
        os.dup2(opened, number)
        os.close(opened)
    for number, name in enumerate(("stdin", "stdout", "stderr")):
        made = _made_anew(getattr(sys, name), number)
        setattr(sys, name, made)
        setattr(sys, f"__{name}__", made)
    tempfile.tempdir = None
    sys.argv = ["assistant", *asked["arguments"]]
    return importlib.import_module("assistant.__main__").main()


def _made_anew(stream: TextIO, number: int) -> TextIO:
    """As the interpreter makes it at its start, of what the descriptor is by now: a file has a place, a pipe has none."""
    mode = "r" if number == 0 else "w"
    return open(number, mode, encoding=stream.encoding, errors=stream.errors, closefd=False)


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
