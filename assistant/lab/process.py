"""One worker process spoken to in JSON lines, killed with everything it started.

The worker reads one request per line on stdin and writes one reply per line on its private copy of stdout; what else it (or a
library) prints lands on stderr, whose tail is kept for the error message. An overdue request ends the process: the next request
starts a fresh one. So does a cancelled one, unless the worker knows how to call it off.

Example::

    worker = WorkerProcess("assistant.emulator")
    reply = await worker.request({"op": "ping"}, deadline_s=5)
    await worker.close()
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import signal
import sys
from collections import deque
from collections.abc import Callable, Hashable
from typing import Any

__all__ = ["ChildProcess", "WorkerDied", "WorkerPool", "WorkerProcess", "WorkerTimedOut", "workers_at_once"]

_REPLY_LIMIT_BYTES = 512 << 20
"""Longest reply line; counters of a program with thousands of launches stay far below."""
_STDERR_LINES = 40
_CANCEL = b'"cancel"\n'
_CORES_PER_WORKER, _MOST_WORKERS = 4, 8
_TERMINATE_GRACE_S = 2.0
"""What a worker gets between SIGTERM and SIGKILL to end its own children."""


class WorkerDied(Exception):  # noqa: N818 - a fact, named as the code reads
    """The worker ended before it replied; carries the tail of its stderr."""


class WorkerTimedOut(Exception):  # noqa: N818
    """The worker did not reply before the deadline and was killed."""


class ChildProcess:
    """A lazily started ``python -m …`` in a session of its own; the tail of its stderr is kept, it is killed with what it started."""

    def __init__(self, arguments: tuple[str, ...], environment: dict[str, str] | None = None, grace_s: float = _TERMINATE_GRACE_S) -> None:
        """``arguments`` follow ``-m``; ``grace_s`` lies between SIGTERM and SIGKILL, for the child to end its own children."""
        self._arguments = arguments
        self._environment = environment
        self._grace_s = grace_s
        self._process: asyncio.subprocess.Process | None = None
        self._stderr: deque[str] = deque(maxlen=_STDERR_LINES)
        self._stderr_task: asyncio.Task[None] | None = None

    @property
    def last_words(self) -> str:
        """What it last wrote on stderr, in one line."""
        return " | ".join(self._stderr) or "no message"

    async def started(self) -> asyncio.subprocess.Process:
        """The running process; a fresh one where there is none."""
        if self._process is not None and self._process.returncode is None:
            return self._process
        await self.kill()
        self._stderr.clear()
        self._process = await asyncio.create_subprocess_exec(
            sys.executable,
            "-P",  # never import from the folder the user works in
            "-m",
            *self._arguments,
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
            start_new_session=True,
            limit=_REPLY_LIMIT_BYTES,
            env=self._environment,
        )
        self._stderr_task = asyncio.create_task(self._drain(self._process))
        return self._process

    async def _drain(self, process: asyncio.subprocess.Process) -> None:
        assert process.stderr is not None
        while chunk := await process.stderr.read(65536):
            self._stderr.extend(chunk.decode("utf-8", "replace").splitlines())

    async def kill(self) -> None:
        """End it and everything it started."""
        process, self._process = self._process, None
        if process is None:
            return
        try:
            _signal_group(process.pid, signal.SIGTERM)
            try:
                async with asyncio.timeout(self._grace_s):
                    await process.wait()
            except TimeoutError:
                pass
        finally:
            _signal_group(process.pid, signal.SIGKILL)
            if self._stderr_task is not None:
                self._stderr_task.cancel()
                self._stderr_task = None
        with contextlib.suppress(ProcessLookupError):
            await process.wait()
        if process.stdin is not None:
            process.stdin.close()


def _never(reply: dict[str, Any]) -> bool:
    return False


class WorkerProcess:
    """A lazily started ``python -m MODULE`` with one request under way at a time."""

    def __init__(
        self,
        module: str,
        environment: dict[str, str] | None = None,
        can_call_off: bool = False,
        arguments: tuple[str, ...] = (),
        is_last: Callable[[dict[str, Any]], bool] = _never,
    ) -> None:
        """``can_call_off``: the line ``"cancel"`` makes the worker answer at once. ``arguments`` follow the module.

        ``is_last``: whether a worker that gave this reply can answer nothing more; it is ended before the next request has its turn.
        """
        self._module = module
        self._can_call_off = can_call_off
        self._is_last = is_last
        self.waits: list[tuple[float, float]] = []
        """When it waited for GPUs that others measured on: begin and end by `time.monotonic`, which all processes of a machine share."""
        self._child = ChildProcess((module, *arguments), environment)
        self._lock = asyncio.Lock()

    @property
    def is_busy(self) -> bool:
        """Whether a request is under way."""
        return self._lock.locked()

    async def request(self, message: dict[str, Any], deadline_s: float, is_fresh: bool = False) -> dict[str, Any]:
        """The worker's reply to ``message``. Raises WorkerDied or WorkerTimedOut; cancelling ends what the worker does.

        ``is_fresh``: by a process that has answered nothing before, though others ask meanwhile.
        """
        async with self._lock:
            if is_fresh:
                await self._child.kill()
            process = await self._child.started()
            assert process.stdin is not None and process.stdout is not None
            is_answered = False
            try:
                process.stdin.write(json.dumps(message, allow_nan=False).encode() + b"\n")
                async with asyncio.timeout(deadline_s):
                    await process.stdin.drain()
                    line = await process.stdout.readline()
                is_answered = bool(line)
            except asyncio.CancelledError:
                is_answered = await self._is_called_off(process)
                raise
            except TimeoutError as error:
                raise WorkerTimedOut(f"{self._module} did not answer within {deadline_s:.0f} s") from error
            except (ConnectionError, ValueError) as error:
                raise WorkerDied(f"{self._module} broke off: {error}") from error
            finally:
                if not is_answered:
                    await self._child.kill()
            if not line:
                raise WorkerDied(f"{self._module} ended: {self._child.last_words}")
            reply: dict[str, Any] = json.loads(line)
            self.waits += ((begin_s, end_s) for begin_s, end_s in reply.pop("waits", ()))
            if self._is_last(reply):
                await self._child.kill()
            return reply

    async def close(self) -> None:
        """End the worker and everything it started."""
        async with self._lock:
            await self._child.kill()

    async def _is_called_off(self, process: asyncio.subprocess.Process) -> bool:
        """Whether the worker gave the request up by itself, and can take another."""
        assert process.stdin is not None and process.stdout is not None
        if not self._can_call_off:
            return False
        with contextlib.suppress(TimeoutError, ConnectionError, ValueError):
            process.stdin.write(_CANCEL)
            async with asyncio.timeout(_TERMINATE_GRACE_S):
                return bool(await process.stdout.readline())
        return False


class WorkerPool:
    """Workers of one kind, for requests that know nothing of each other: an idle one takes a request, else another is started.

    Example::

        pool = WorkerPool("assistant.emulator", at_once=4)
        await asyncio.gather(*(pool.request(message, deadline_s=5) for message in messages))
    """

    def __init__(self, module: str, environment: dict[str, str] | None = None, at_once: int = 1) -> None:
        """``at_once``: requests under way at most; others wait their turn."""
        self._module = module
        self._environment = environment
        self._turns = asyncio.Semaphore(at_once)
        self.first = WorkerProcess(module, environment)
        """For requests that may not be spread over several."""
        self._workers = [self.first]
        self._knowing: dict[Hashable, WorkerProcess] = {}

    @property
    def waits(self) -> list[tuple[float, float]]:
        """Of all of them, as of `WorkerProcess`."""
        return [wait for worker in self._workers for wait in worker.waits]

    @property
    def is_busy(self) -> bool:
        """Whether a request would wait."""
        return self._turns.locked()

    async def request(self, message: dict[str, Any], deadline_s: float, about: Hashable | None = None) -> dict[str, Any]:
        """As `WorkerProcess.request`; the time of waiting for a turn does not count.

        ``about``: what a worker keeps something of; the one that was asked about it first is asked again, though others are idle.
        """
        async with self._turns:
            worker = self._knowing.get(about) if about is not None else None
            if worker is None:
                worker = self._idle()
            if about is not None:
                self._knowing[about] = worker
            return await worker.request(message, deadline_s)

    def _idle(self) -> WorkerProcess:
        worker = next((one for one in self._workers if not one.is_busy), None)
        if worker is None:
            worker = WorkerProcess(self._module, self._environment)
            self._workers.append(worker)
        return worker

    async def close(self) -> None:
        """End all of them and everything they started."""
        await asyncio.gather(*(worker.close() for worker in self._workers))


def workers_at_once(core_count: int) -> int:
    """Workers of each kind: one for every four cores, so that timing has cores to itself; eight at most, as each holds a program's data."""
    return max(1, min(_MOST_WORKERS, core_count // _CORES_PER_WORKER))


def _signal_group(pid: int, number: int) -> None:
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(pid, number)
