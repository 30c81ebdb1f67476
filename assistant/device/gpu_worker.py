"""The GPU worker's loop: ``python -m assistant.device --gpu N``. One process, one context, one request after another.

Requests that measure run while this worker holds the GPU's lock alone, so that no two front ends disturb each other's measurement; those
that only ask for results share it. Between two cases of a request others get their turn.
After a request that cost the context the worker answers and ends; its parent starts another.
"""

from __future__ import annotations

import ctypes
import json
import os
import select
import signal
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from enum import Enum, auto
from typing import Any, cast

from assistant.device.counters.collect import collect, get_ready_to_collect
from assistant.device.counters.durations import get_ready_to_time, profiled_times
from assistant.device.counters.protocol import CountersRequest, DurationsRequest
from assistant.device.driver import DeviceError, Driver
from assistant.device.gpu_protocol import MemoryReply, ReplayReply, ReplayRequest
from assistant.device.gpu_state import GpuState
from assistant.device.protocol import PROTOCOL_VERSION, failure, success
from assistant.device.replay import replay
from assistant.device.sanitizer.run import SanitizeRequest, sanitize
from assistant.device.shared_arrays import ReadSharedRequest, read_shared
from assistant.device.snapshots import (
    CompareRequest,
    FreeRequest,
    ReadRequest,
    TakeRequest,
    compare_snapshots,
    free_snapshots,
    read_snapshots,
    take_snapshots,
)
from assistant.device.timing.ops import PeaksRequest, TimeRequest, peaks, time_pairs
from assistant.disk.gpu_lease import GpuBusyError, NoRoomError, waits_since_last
from assistant.errors import CannotAnswerError, KernelOptError
from assistant.record import Record
from assistant.serialize import decode

__all__ = ["OPERATIONS", "GpuWorker", "Operation", "serve"]

_PR_SET_PDEATHSIG = 1
"""prctl(2): signal for a child whose parent dies."""
_IDLE_S = 120.0
"""After so long without a request the worker ends and frees the device; the next request starts another in about a second."""
_CHUNK_BYTES = 1 << 16


class Hold(Enum):
    """How an operation has the GPU."""

    ALONE = auto()
    """It measures: no other process of ours uses the GPU meanwhile."""
    SHARED = auto()
    """It asks what launches leave, not how long they take: it may run while nothing is measured."""
    NONE = auto()
    """It does not wait for measurements, and disturbs one no more than the user's own program does."""


class Operation(Record):
    """One thing the worker does on the device."""

    request_type: Any
    """A dataclass; None for one without fields."""
    run: Callable[[GpuState, Any], object]
    """(state, request) → the result, a dataclass. May raise DeviceError and KernelOptError."""
    is_lost: Callable[[Any], bool] = lambda reply: False
    """Whether a result shows that the context is gone."""
    hold: Hold = Hold.ALONE
    get_ready: Callable[[GpuState, Any], None] | None = None
    """What it starts before its turn, while others may still use the GPU: that turn is the shorter for it."""


def _facts(state: GpuState, request: None) -> object:
    return state.facts


def _memory(state: GpuState, request: None) -> MemoryReply:
    return MemoryReply(*state.driver.memory())


def _is_replay_lost(reply: ReplayReply) -> bool:
    return reply.is_lost


OPERATIONS: Mapping[str, Operation] = {
    "facts": Operation(None, _facts, hold=Hold.SHARED),
    "memory": Operation(None, _memory, hold=Hold.SHARED),
    "replay": Operation(ReplayRequest, replay, _is_replay_lost, Hold.SHARED),
    "time": Operation(TimeRequest, time_pairs),
    "peaks": Operation(PeaksRequest, peaks),
    "counters": Operation(CountersRequest, collect, get_ready=get_ready_to_collect),
    "durations": Operation(DurationsRequest, profiled_times, get_ready=get_ready_to_time),
    "sanitize": Operation(SanitizeRequest, sanitize, hold=Hold.SHARED),
    "read_shared": Operation(ReadSharedRequest, read_shared, hold=Hold.NONE),
    "take_snapshots": Operation(TakeRequest, take_snapshots, hold=Hold.NONE),  # the program holds the GPU meanwhile
    "compare_snapshots": Operation(CompareRequest, compare_snapshots, hold=Hold.SHARED),
    "read_snapshots": Operation(ReadRequest, read_snapshots, hold=Hold.SHARED),
    "free_snapshots": Operation(FreeRequest, free_snapshots, hold=Hold.NONE),
}


class GpuWorker:
    """Answers requests; opens the device with the first one that needs it."""

    def __init__(self, open_driver: Callable[[], Driver], operations: Mapping[str, Operation]) -> None:
        self._open_driver = open_driver
        self._operations = operations
        self._state: GpuState | None = None
        self.is_lost = False
        """The context is gone: nothing more can be asked."""

    def answer(self, line: str) -> dict[str, Any]:
        """The reply to one line; never raises for a bad request or a failing device."""
        try:
            message = json.loads(line)
        except ValueError as error:
            return failure(None, "bad_request", f"not JSON: {error}")
        if not isinstance(message, dict):
            return failure(None, "bad_request", "expected an object")
        fields = cast("dict[str, Any]", message)
        request_id = fields.pop("id", None)
        try:
            return success(request_id, self._run(str(fields.pop("op", None)), fields))
        except DeviceError as error:
            self.is_lost |= error.is_sticky
            kind = "lost" if error.is_sticky else "out_of_memory" if error.is_out_of_memory else "device"
            return failure(request_id, kind, str(error))
        except OSError as error:
            return failure(request_id, "storage", f"{error.strerror}: {error.filename}")
        except GpuBusyError as error:
            return failure(request_id, "busy", error.message)
        except CannotAnswerError as error:
            return failure(request_id, "cannot_answer", error.message)
        except KernelOptError as error:
            return failure(request_id, "bad_request", error.message)

    def _run(self, name: str, fields: dict[str, Any]) -> object:
        if name == "ping":
            return {"version": PROTOCOL_VERSION}
        operation = self._operations.get(name)
        if operation is None:
            known = ", ".join(("ping", *self._operations))
            raise KernelOptError(f"unknown op {name!r}; known: {known}")
        request = None if operation.request_type is None else decode(operation.request_type, fields)
        state = self._opened()
        result = _held_run(state, operation, request)
        self.is_lost |= operation.is_lost(result)
        return result

    def _opened(self) -> GpuState:
        if self._state is None:
            try:
                self._state = GpuState(self._open_driver())
            except (ImportError, RuntimeError) as error:
                raise CannotAnswerError(f"CUDA's driver cannot be used: {error}", "kernelopt doctor") from error
        return self._state


def _held_run(state: GpuState, operation: Operation, request: Any) -> object:
    """The operation's result, asked for again with the GPU to itself where others that share it left too little memory."""
    if operation.hold is Hold.NONE:
        return operation.run(state, request)
    if operation.hold is Hold.SHARED:
        with suppress(NoRoomError), state.lease.held(alone=False):
            return operation.run(state, request)
    if operation.get_ready is not None:
        with suppress(NoRoomError), state.lease.held(alone=False):
            operation.get_ready(state, request)
    with state.lease.held(alone=True):
        return operation.run(state, request)


def serve(open_driver: Callable[[], Driver]) -> int:
    """Answer standard input's lines on a private copy of standard output until the input or the context ends."""
    replies = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)  # what a kernel prints is no answer
    ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    worker = GpuWorker(open_driver, OPERATIONS)
    for line in _lines(sys.stdin.fileno(), _IDLE_S):
        if not line.strip():
            continue
        answer = worker.answer(line) | {"waits": waits_since_last()}
        replies.write(json.dumps(answer, ensure_ascii=True, allow_nan=False, separators=(",", ":")) + "\n")
        replies.flush()
        if worker.is_lost:
            break
    os._exit(0)  # the driver's own clean-up would wait for a kernel that never ends


def _lines(descriptor: int, idle_s: float) -> Iterator[str]:
    """Lines as they come, until the input ends or nothing came for ``idle_s``."""
    waiting = b""
    while select.select([descriptor], [], [], idle_s)[0]:
        chunk = os.read(descriptor, _CHUNK_BYTES)
        if not chunk:
            return
        *whole, waiting = (waiting + chunk).split(b"\n")
        yield from (line.decode("utf-8", "replace") for line in whole)
