"""The parent's side of a job host: tasks in, events out, one at a time; cancelling ends what the job started.

Example::

    host = JobHost("lsp")
    async for event in host.run(task): ...
    await host.close()
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import signal
import sys
from collections import deque
from collections.abc import AsyncGenerator
from typing import Any

from assistant.desk.tasks import Task
from assistant.engine.event_json import event_from
from assistant.engine.job import INTERNAL
from assistant.errors import KernelOptError
from assistant.model.events import Event
from assistant.serialize import encode

__all__ = ["JobHost", "JobRefused"]

_LINE_LIMIT_BYTES = 256 << 20
_STDERR_LINES = 40
_CANCEL_GRACE_S = 4.0
"""What a job gets to kill its workers before its host is killed with them."""


class JobRefused(KernelOptError):  # noqa: N818 - a fact, named as the code reads
    """The job could not be started, or its host died; ``exit_code`` as on the command line."""

    def __init__(self, message: str, remedy: str, exit_code: int) -> None:
        super().__init__(message, remedy)
        self.exit_code = exit_code


class JobHost:
    """A lazily started ``python -m assistant host`` that stays warm between jobs."""

    def __init__(self, front_end: str) -> None:
        self._front_end = front_end
        self._process: asyncio.subprocess.Process | None = None
        self._stderr: deque[str] = deque(maxlen=_STDERR_LINES)
        self._drain: asyncio.Task[None] | None = None
        self._lock = asyncio.Lock()
        self._last_id = 0

    async def start(self) -> None:
        """Start it before the first job needs it."""
        async with self._lock:
            await self._started()

    async def run(self, task: Task) -> AsyncGenerator[Event]:
        """The job's events. Raises JobRefused; closing the generator, or cancelling whoever reads it, ends the job."""
        async with self._lock:
            process = await self._started()
            self._last_id += 1
            is_ended = False
            try:
                await self._send(process, {"id": self._last_id, "task": encode(task)})
                while True:
                    message = await self._message(process)
                    if "end" in message:
                        is_ended = True
                        if message["end"] is not None:
                            raise JobRefused(**message["end"])
                        return
                    yield event_from(message["event"])
            except (ConnectionError, ValueError) as error:
                raise JobRefused(f"the job host broke off: {error}", "run it again; kernelopt doctor", INTERNAL) from error
            finally:
                if not is_ended:
                    await asyncio.shield(self._end(process))

    async def close(self) -> None:
        """End the host and everything it started."""
        await self._kill()

    async def _end(self, process: asyncio.subprocess.Process) -> None:
        """Ask the job to end; a host that does not obey is killed."""
        try:
            async with asyncio.timeout(_CANCEL_GRACE_S):
                await self._send(process, {"id": self._last_id, "cancel": True})
                while "end" not in await self._message(process):
                    pass
        except (TimeoutError, ConnectionError, ValueError, JobRefused):
            await self._kill()

    async def _send(self, process: asyncio.subprocess.Process, message: dict[str, Any]) -> None:
        assert process.stdin is not None
        process.stdin.write(json.dumps(message, allow_nan=False).encode() + b"\n")
        await process.stdin.drain()

    async def _message(self, process: asyncio.subprocess.Process) -> dict[str, Any]:
        assert process.stdout is not None
        line = await process.stdout.readline()
        if not line:
            await asyncio.sleep(0)
            told = " | ".join(self._stderr) or "no message"
            raise JobRefused(f"the job host ended: {told}", "run it again; kernelopt doctor", INTERNAL)
        return json.loads(line)

    async def _started(self) -> asyncio.subprocess.Process:
        if self._process is not None and self._process.returncode is None:
            return self._process
        await self._kill()
        self._stderr.clear()
        self._process = await asyncio.create_subprocess_exec(
            sys.executable,
            "-P",  # never import from the folder the user works in
            "-m",
            "assistant",
            "host",
            self._front_end,
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
            start_new_session=True,
            limit=_LINE_LIMIT_BYTES,
        )
        self._drain = asyncio.create_task(self._keep_stderr(self._process))
        return self._process

    async def _keep_stderr(self, process: asyncio.subprocess.Process) -> None:
        assert process.stderr is not None
        while chunk := await process.stderr.read(65536):
            self._stderr.extend(chunk.decode("utf-8", "replace").splitlines())

    async def _kill(self) -> None:
        process, self._process = self._process, None
        if process is None:
            return
        try:
            _signal_group(process.pid, signal.SIGTERM)
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(_CANCEL_GRACE_S):
                    await process.wait()
        finally:
            _signal_group(process.pid, signal.SIGKILL)
            if self._drain is not None:
                self._drain.cancel()
                self._drain = None
        await process.wait()
        if process.stdin is not None:
            process.stdin.close()


def _signal_group(pid: int, number: int) -> None:
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(pid, number)
