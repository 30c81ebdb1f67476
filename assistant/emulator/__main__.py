"""The emulator process: a JSON request per line on standard input, a JSON reply per line on a private copy of standard output.

It ends with its input. Whatever else prints goes to standard error. A program under way is killed when the input hangs up.
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
from typing import TYPE_CHECKING, Any, cast

from assistant.build.full_disk import FULL_ERRORS, REMEDY, check_space, full_in_words
from assistant.disk.removal import remove_tree
from assistant.disk.temporary import OwnFolder
from assistant.emulator.protocol import BuildMessage, ConfigureMessage, ReplayRequest, RunRequest, failure
from assistant.emulator.replay import replay
from assistant.emulator.runner import RunEnvironment, run_program
from assistant.emulator.symbolize import Symbolizer, SymbolsMissing
from assistant.errors import KernelOptError
from assistant.serialize import decode, encode
from assistant.worker.child import Interrupted
from assistant.worker.launcher import Launcher
from assistant.worker.sandbox import probe_layers
from assistant.worker.workspace import Workspace

if TYPE_CHECKING:
    from assistant.emulator.build import BuildFailure, BuildRequest

_SYMBOLIZERS_KEPT = 32
_RUNS_KEPT = 8
"""Folders with the output of earlier runs; the requester reads the files at once."""


class Emulator:
    """Answers requests one after another."""

    def __init__(self, environment: Mapping[str, str], scratch: Path) -> None:
        """``scratch`` receives the output of programs; only that of the last runs is kept."""
        self._environment = environment
        self._launcher = Launcher()
        self._runs = scratch / "runs"
        self._around = RunEnvironment(environment, Workspace(scratch / "files"), self._launcher)
        self._symbolizers: dict[tuple[str, int, int], Symbolizer] = {}

    def answer(self, line: str) -> dict[str, Any]:
        """The reply to one line; never raises for a bad request. Raises Interrupted when the asker has gone."""
        try:
            message = json.loads(line)
        except ValueError as error:
            return failure("bad_request", f"not JSON: {error}")
        if not isinstance(message, dict):
            return failure("bad_request", "expected an object")
        return self.reply(cast("dict[str, Any]", message))

    def reply(self, message: dict[str, Any]) -> dict[str, Any]:
        """The reply to one request; never raises for a bad one. Raises Interrupted when the asker has gone."""
        try:
            return self._dispatch(str(message.get("op", "")), {key: value for key, value in message.items() if key != "op"})
        except KernelOptError as error:
            return failure("bad_request", error.message, error.remedy)
        except SymbolsMissing as error:
            return failure("tool_missing", str(error), "apt-get install binutils")
        except OSError as error:
            if error.errno in FULL_ERRORS:
                return failure("no_space", full_in_words(error.errno, Path(error.filename or self._runs)), REMEDY)
            return failure("system", f"{error.filename or ''}: {error.strerror or error}".lstrip(": "))

    def _dispatch(self, operation: str, fields: dict[str, Any]) -> dict[str, Any]:
        match operation:
            case "ping":
                return {"ok": True}
            case "toolchain":
                return _toolchain(self._environment, self._launcher) | {"limits": encode(probe_layers())}
            case "build":
                return _build(decode(BuildMessage, fields), self._launcher)
            case "preprocess":
                from assistant.emulator.preprocess import preprocess  # slow to import

                return {"result": encode(preprocess(_build_request(decode(BuildMessage, fields)), self._launcher))}
            case "promote":
                return _promoted(decode(BuildMessage, fields))
            case "configure":
                from assistant.emulator.configure import configure  # slow to import

                return configure(decode(ConfigureMessage, fields), self._environment, self._launcher)
            case "run":
                run: RunRequest = decode(RunRequest, fields)
                folder = self._new_run()
                ran = run_program(run, self._symbolizer(run.binary), self._around, folder)
                check_space(folder, *([] if run.record is None else [run.record]))
                return encode(ran)
            case "replay":
                request: ReplayRequest = decode(ReplayRequest, fields)
                replayed = replay(request, self._symbolizer(request.binary), self._environment, self._launcher)
                check_space(request.out)
                return encode(replayed)
            case _:
                return failure(
                    "bad_request", f"unknown op {operation!r}: expected build, preprocess, promote, configure, run, replay or ping"
                )

    def _new_run(self) -> Path:
        """A folder for one run; those of the oldest runs go."""
        self._runs.mkdir(exist_ok=True)
        folders = sorted(self._runs.iterdir(), key=lambda folder: folder.stat().st_mtime_ns)
        for folder in folders[: max(0, len(folders) - _RUNS_KEPT)]:
            remove_tree(folder)
        return Path(tempfile.mkdtemp(prefix="run-", dir=self._runs))

    def _symbolizer(self, binary: Path) -> Symbolizer:
        status = binary.stat()
        key = (str(binary), status.st_mtime_ns, status.st_size)
        if key not in self._symbolizers:
            if len(self._symbolizers) >= _SYMBOLIZERS_KEPT:
                self._symbolizers.clear()
            self._symbolizers[key] = Symbolizer(binary, self._launcher)
        return self._symbolizers[key]


def _toolchain(environment: Mapping[str, str], launcher: Launcher) -> dict[str, Any]:
    """Which C++ compiler builds programs, or why none can."""
    from assistant.emulator.toolchain import find_compiler  # slow to import
    from assistant.model.build import CompilerMissing

    found = find_compiler(environment.get("PATH", os.defpath), launcher)
    if isinstance(found, CompilerMissing):
        return {"compiler": None, "message": found.reason, "remedy": found.remedy}
    return {"compiler": found.name, "message": "", "remedy": ""}


def _build_request(message: BuildMessage) -> BuildRequest:
    from assistant.emulator.build import BuildRequest  # slow to import

    return BuildRequest(
        sources=tuple((Path(path), text) for path, text in message.sources),
        cache_dir=Path(message.cache_dir),
        flavour=message.flavour,
        include_dirs=tuple(Path(folder) for folder in message.include_dirs),
        defines=message.defines,
        kernels=message.kernels,
        promote_float=message.promote_float,
        noted_function=message.noted_function,
        standard=message.standard,
        libraries=message.libraries,
        workspaces=tuple(Path(folder) for folder in message.workspaces),
    )


def _promoted(message: BuildMessage) -> dict[str, Any]:
    from assistant.emulator.build import loader_of, units_of  # slow to import
    from assistant.emulator.translate.promoted import promoted_texts
    from assistant.emulator.translate.unit import Unpromotable

    request = _build_request(message)
    found = promoted_texts(units_of(request, loader_of(request)))
    if isinstance(found, Unpromotable):
        return failure("cannot_promote", found.reason)
    return {"texts": [[str(path), text] for path, text in found.items()]}


def _build(message: BuildMessage, launcher: Launcher) -> dict[str, Any]:
    from assistant.emulator.build import (  # slow to import
        BuildFailure,
        BuiltProgram,
        CannotPromote,
        CompilerMissing,
        StorageFailure,
        build,
    )

    reply = build(_build_request(message), launcher)
    base: dict[str, Any] = {"binary": None, "has_main": False, "diagnostics": []}
    match reply:
        case BuiltProgram():
            return {
                "binary": str(reply.program),
                "has_main": reply.has_main,
                "diagnostics": encode(reply.diagnostics),
                "compiler": reply.compiler,
                "translate_s": reply.translate_s,
                "compile_s": reply.compile_s,
                "cached": reply.is_cached,
            }
        case BuildFailure():
            return base | failure("not_built", *_why_not_built(reply)) | {"diagnostics": encode(reply.diagnostics)}
        case CannotPromote():
            return base | failure("cannot_promote", reply.reason) | {"diagnostics": encode(reply.diagnostics)}
        case CompilerMissing():
            return base | failure("compiler_missing", reply.reason, reply.remedy)
        case StorageFailure():
            return base | failure("no_space" if reply.is_full else "storage", reply.reason, reply.remedy)


def _why_not_built(reply: BuildFailure) -> tuple[str, str]:
    """(reason, remedy)"""
    from assistant.model.build import is_incomplete  # slow to import

    if is_incomplete(reply.diagnostics):
        return "the sources given use what none of them defines", "name every source of the program behind FILE"
    return "the emulator's compiler refused the source", ""


def _terminate(number: int, frame: FrameType | None) -> None:
    raise Interrupted


def main() -> int:
    """Serve until the input ends; 0."""
    replies = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    signal.signal(signal.SIGTERM, _terminate)
    try:
        with OwnFolder("emulator") as scratch:
            emulator = Emulator(os.environ, scratch)
            for line in sys.stdin:
                if line.strip():
                    replies.write(json.dumps(emulator.answer(line), allow_nan=False) + "\n")
                    replies.flush()
    except (Interrupted, BrokenPipeError, KeyboardInterrupt):
        return 0
    return 0


if __name__ == "__main__":
    sys.exit(main())
