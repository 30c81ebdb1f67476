"""The worker's process: a JSON request per line on standard input, a JSON reply per line on a private copy of standard output.

It imports no PyTorch: each side runs in a process of its own (`start_side.py`), which ends with it. A candidate without a GPU, which is run
again and again, is each time a fresh child of a process that has imported PyTorch.
"""

from __future__ import annotations

import json
import os
import signal
import sys
from contextlib import AbstractContextManager, nullcontext
from dataclasses import replace
from pathlib import Path
from types import FrameType
from typing import Any, cast

from assistant.disk.gpu_lease import Lease, lock_folder
from assistant.serialize import decode, encode
from assistant.torch_worker.protocol import SideReply, SideRequest
from assistant.torch_worker.turns import Turns
from assistant.worker.child import Bounds, Command, Interrupted, Outcome, run_child
from assistant.worker.environment import candidate_environment, own_environment
from assistant.worker.fork_server import ForkServer
from assistant.worker.launcher import Launcher
from assistant.worker.left_behind import keep_plain_files
from assistant.worker.sandbox import Confinement, confine, confine_to_gpu

_START = Path(__file__).with_name("start_side.py")
_SAID_CHARACTERS = 400
_ASKS_NO_DRIVER = "PYTORCH_NVML_BASED_CUDA_CHECK"
"""With it PyTorch asks NVML whether there is a GPU, or sees that none is visible. The driver, which it asks otherwise, starts a thread even
where no GPU is visible, and a process with threads is not forked."""


class _Starter:
    """Starts what sides run in."""

    def __init__(self) -> None:
        self._launcher = Launcher()
        self._server: ForkServer | None = None

    def run(self, request: SideRequest, command: Command, confinement: Confinement | None) -> Outcome:
        """How the side of ``request`` ended. ``command``: it waits for orders, or runs the one that is its last argument."""
        bounds = Bounds(request.wall_s, request.memory_bytes)
        stdout, stderr, order = request.folder / "stdout", request.folder / "stderr", request.folder / "order.json"
        if confinement is None or request.gpu is not None:
            once = replace(command, arguments=(*command.arguments, str(order)))
            return run_child(once, bounds, stdout, stderr, confinement, self._launcher)
        if self._server is None or self._server.command != command:
            self._end_server()
            self._server = ForkServer(command, self._launcher)
        return self._server.run(str(order), bounds, stdout, stderr, confinement)

    def close(self) -> None:
        """End what is left of it."""
        self._end_server()
        self._launcher.close()

    def _end_server(self) -> None:
        if self._server is not None:
            self._server.close()
            self._server = None


def _answer(line: str, starter: _Starter) -> dict[str, Any]:
    """The reply to one request; never raises for a bad one. Raises Interrupted when the asker has gone."""
    try:
        return encode(_run(decode(SideRequest, cast("dict[str, Any]", json.loads(line))), starter))
    except (ValueError, OSError) as error:
        return encode(SideReply("crashed", f"the process of PyTorch cannot be started: {error}", ()))


def _run(request: SideRequest, starter: _Starter) -> SideReply:
    given = candidate_environment if request.is_candidate else own_environment
    temporary = request.folder / "tmp"
    temporary.mkdir(exist_ok=True)
    environment = {**given(os.environ), "TMPDIR": str(temporary), **_seen(request)}
    command = Command((request.python, str(_START)), request.working_directory, environment)
    with _turns(request), _confined(request) as confinement:
        outcome = starter.run(request, command, confinement)
    if request.is_candidate:
        for folder in _writable(request):
            keep_plain_files(folder)
    missing = () if confinement is None else confinement.layers.missing
    failure = _failure(outcome, (request.folder / "answer.json").is_file())
    words = " ".join((request.folder / "stderr").read_text("utf-8", "replace").split())[-_SAID_CHARACTERS:] if failure else ""
    return SideReply(failure, words, missing)


def _seen(request: SideRequest) -> dict[str, str]:
    """Which GPU, and where what is compiled for it goes: extensions are kept, what PyTorch compiles of the reference is not, as a candidate
    could change it for the next time. cuBLAS gives equal results for equal calls with a workspace of fixed size."""
    gpu = request.gpu
    if gpu is None:
        return {"CUDA_VISIBLE_DEVICES": "", _ASKS_NO_DRIVER: "1"}
    return {
        "CUDA_VISIBLE_DEVICES": gpu.uuid,
        "CUDA_DEVICE_ORDER": "PCI_BUS_ID",
        "CUDA_CACHE_PATH": str(gpu.builds / "driver"),
        "CUBLAS_WORKSPACE_CONFIG": ":4096:8",
        "TORCH_CUDA_ARCH_LIST": gpu.compute_capability,
        "TORCH_EXTENSIONS_DIR": str(gpu.builds / "extensions"),
        "TORCHINDUCTOR_CACHE_DIR": str(request.folder / "inductor"),
        "TORCHINDUCTOR_COMPILE_THREADS": "1",
        "TRITON_CACHE_DIR": str(request.folder / "triton"),
    }


def _turns(request: SideRequest) -> AbstractContextManager[object]:
    return nullcontext() if request.gpu is None else Turns(request.folder, Lease(request.gpu.uuid, lock_folder()))


def _confined(request: SideRequest) -> AbstractContextManager[Confinement | None]:
    if not request.is_candidate:
        return nullcontext()
    return confine(_writable(request)) if request.gpu is None else confine_to_gpu(_writable(request))


def _writable(request: SideRequest) -> tuple[Path, ...]:
    return (request.folder,) if request.gpu is None else (request.folder, request.gpu.builds)


def _failure(outcome: Outcome, has_answer: bool) -> str:
    if outcome.timed_out:
        return "timed_out"
    if outcome.memory_exceeded or outcome.tasks_exceeded:
        return "out_of_memory"
    return "" if has_answer and outcome.exit_status == 0 else "crashed"


def _terminate(number: int, frame: FrameType | None) -> None:
    raise Interrupted


def main() -> int:
    """Serve until the input ends; 0."""
    replies = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    signal.signal(signal.SIGTERM, _terminate)
    starter = _Starter()
    try:
        for line in sys.stdin:
            if line.strip():
                replies.write(json.dumps(_answer(line, starter)) + "\n")
                replies.flush()
    except (Interrupted, BrokenPipeError, KeyboardInterrupt):
        return 0
    finally:
        starter.close()
    return 0


if __name__ == "__main__":
    sys.exit(main())
