"""The parent's side of a job host: tasks in, events out, one at a time; cancelling ends what the job started.

Example::

    host = JobHost("lsp")
    async for event in host.run(task): ...
    await host.close()
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncGenerator
from typing import TYPE_CHECKING, Any

from assistant.desk.relay import Answering, is_about_models
from assistant.desk.tasks import Task
from assistant.engine.event_json import event_from
from assistant.engine.job import INTERNAL
from assistant.errors import KernelOptError
from assistant.lab.process import ChildProcess
from assistant.model.events import Event
from assistant.serialize import encode

if TYPE_CHECKING:
    from assistant.plan.providers import ModelRelay

__all__ = ["JobHost", "JobRefused"]

_CANCEL_GRACE_S = 4.0
"""What a job gets to kill its workers before its host is killed with them."""


class JobRefused(KernelOptError):  # noqa: N818 - a fact, named as the code reads
    """The job could not be started, or its host died; ``exit_code`` as on the command line."""

    def __init__(self, message: str, remedy: str, exit_code: int) -> None:
        super().__init__(message, remedy)
        self.exit_code = exit_code


class JobHost:
    """A lazily started ``python -m assistant host`` that stays warm between jobs."""

    def __init__(self, front_end: str, models: ModelRelay | None = None) -> None:
        """``models``: the editor's own, for jobs that ask it; None where it has none."""
        self._models = models
        self._child = ChildProcess(("assistant", "host", front_end), grace_s=_CANCEL_GRACE_S)
        self._lock = asyncio.Lock()
        self._last_id = 0

    async def start(self) -> None:
        """Start it before the first job needs it."""
        async with self._lock:
            await self._child.started()

    async def run(self, task: Task) -> AsyncGenerator[Event]:
        """The job's events. Raises JobRefused; closing the generator, or cancelling whoever reads it, ends the job."""
        async with self._lock:
            process = await self._child.started()
            self._last_id += 1
            is_ended = False
            answering = self._answering(process, self._last_id)
            try:
                await self._send(process, {"id": self._last_id, "task": encode(task)})
                while True:
                    message = await self._message(process)
                    if is_about_models(message):
                        answering.heard(message)
                        continue
                    if "end" in message:
                        is_ended = True
                        if message["end"] is not None:
                            raise JobRefused(**message["end"])
                        return
                    yield event_from(message["event"])
            except (ConnectionError, ValueError) as error:
                raise JobRefused(f"the job host broke off: {error}", "run it again; kernelopt doctor", INTERNAL) from error
            finally:
                await answering.end()
                if not is_ended:
                    await asyncio.shield(self._end(process))

    async def close(self) -> None:
        """End the host and everything it started."""
        await self._child.kill()

    async def _end(self, process: asyncio.subprocess.Process) -> None:
        """Ask the job to end; a host that does not obey is killed."""
        try:
            async with asyncio.timeout(_CANCEL_GRACE_S):
                await self._send(process, {"id": self._last_id, "cancel": True})
                while "end" not in await self._message(process):
                    pass
        except (TimeoutError, ConnectionError, ValueError, JobRefused):
            await self._child.kill()

    def _answering(self, process: asyncio.subprocess.Process, job: int) -> Answering:
        async def send(message: dict[str, Any]) -> None:
            await self._send(process, {"id": job} | message)

        return Answering(self._models, send)

    async def _send(self, process: asyncio.subprocess.Process, message: dict[str, Any]) -> None:
        assert process.stdin is not None
        process.stdin.write(json.dumps(message, allow_nan=False).encode() + b"\n")
        await process.stdin.drain()

    async def _message(self, process: asyncio.subprocess.Process) -> dict[str, Any]:
        assert process.stdout is not None
        line = await process.stdout.readline()
        if not line:
            await asyncio.sleep(0)
            raise JobRefused(f"the job host ended: {self._child.last_words}", "run it again; kernelopt doctor", INTERNAL)
        return json.loads(line)
