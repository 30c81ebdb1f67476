"""The parent's side of a job host: tasks in, events out, one at a time; cancelling ends what the job started.

Example::

    host = JobHost("lsp")
    async for event in host.run(task): ...
    await host.close()
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncGenerator, Coroutine
from typing import TYPE_CHECKING, Any

from assistant.editor.relay import ModelAnswers, is_about_models
from assistant.editor.tasks import Task
from assistant.engine import CANNOT_ANSWER, INTERNAL, event_from
from assistant.errors import KernelOptError
from assistant.lab.process import ChildProcess
from assistant.model.events import Event
from assistant.serialize import encode

if TYPE_CHECKING:
    from assistant.plan.providers import ModelRelay

__all__ = ["JobHost", "JobRefused", "refusal_of"]

_CANCEL_GRACE_S = 4.0
"""What a job gets to kill its workers before its host is killed with them."""


class JobRefused(KernelOptError):  # noqa: N818 - a fact, named as the code reads
    """The job could not be started, or its host died; ``exit_code`` as on the command line."""

    def __init__(self, message: str, remedy: str, exit_code: int) -> None:
        super().__init__(message, remedy)
        self.exit_code = exit_code


def refusal_of(error: BaseException) -> KernelOptError:
    """The result of work that ended with ``error``: whatever was asked for ends with one."""
    if isinstance(error, KernelOptError):
        return error
    message = f"internal error: {type(error).__name__}: {error}"
    return JobRefused(message, "run it again; kernelopt doctor", INTERNAL)


class JobHost:
    """A lazily started ``python -m assistant host`` that stays warm between jobs."""

    def __init__(self, front_end: str, models: ModelRelay | None = None) -> None:
        """``models``: the editor's own language model; None where it has none."""
        self._models = models
        self._child = ChildProcess(("assistant", "host", front_end), grace_s=_CANCEL_GRACE_S)
        self._lock = asyncio.Lock()
        self._last_id = 0

    async def start(self) -> None:
        """Start it before the first job needs it. Raises JobRefused."""
        async with self._lock:
            await self._started()

    async def run(self, task: Task) -> AsyncGenerator[Event]:
        """The job's events. Raises JobRefused; closing the generator, or cancelling its reader, ends the job."""
        async with self._lock:
            process = await self._started()
            self._last_id += 1
            job, is_ended = self._last_id, False
            answering = self._answering(process, job)
            try:
                await self._send(process, {"id": job, "task": encode(task)})
                while True:
                    message = await self._message(process, job)
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
                raise JobRefused(f"the connection to the job host broke: {error}", "run it again; kernelopt doctor", INTERNAL) from error
            finally:
                await _to_the_end(self._settle(process, job, answering, is_ended))

    async def close(self) -> None:
        """End the host and everything it started."""
        await self._child.kill()

    async def _started(self) -> asyncio.subprocess.Process:
        """The running process. Raises JobRefused where the program no longer exists."""
        try:
            return await self._child.started()
        except OSError as error:
            remedy = "if kernelopt or its Python was moved or upgraded, restart the server"
            raise JobRefused(f"the job host could not be started: {error}", remedy, CANNOT_ANSWER) from error

    async def _settle(self, process: asyncio.subprocess.Process, job: int, answering: ModelAnswers, is_ended: bool) -> None:
        """End what is left of the job, and read its messages up to the end."""
        await answering.end()
        if not is_ended:
            await self._end(process, job)

    async def _end(self, process: asyncio.subprocess.Process, job: int) -> None:
        """Ask the job to end; a host that does not react is killed."""
        try:
            async with asyncio.timeout(_CANCEL_GRACE_S):
                await self._send(process, {"id": job, "cancel": True})
                while "end" not in await self._message(process, job):
                    pass
        except (TimeoutError, ConnectionError, ValueError, JobRefused):
            await self._child.kill()

    def _answering(self, process: asyncio.subprocess.Process, job: int) -> ModelAnswers:
        async def send(message: dict[str, Any]) -> None:
            await self._send(process, {"id": job} | message)

        return ModelAnswers(self._models, send)

    async def _send(self, process: asyncio.subprocess.Process, message: dict[str, Any]) -> None:
        assert process.stdin is not None
        process.stdin.write(json.dumps(message, allow_nan=False).encode() + b"\n")
        await process.stdin.drain()

    async def _message(self, process: asyncio.subprocess.Process, job: int) -> dict[str, Any]:
        """The host's next message on a job; those on another one are ignored."""
        assert process.stdout is not None
        while line := await process.stdout.readline():
            message: dict[str, Any] = json.loads(line)
            if message.get("id") == job:
                return message
        await asyncio.sleep(0)
        raise JobRefused(f"the job host ended: {self._child.last_words}", "run it again; kernelopt doctor", INTERNAL)


async def _to_the_end(work: Coroutine[Any, Any, None]) -> None:
    """Do all of ``work``, even if the caller is cancelled meanwhile; that is raised afterwards."""
    task, is_cancelled = asyncio.create_task(work), False
    while not task.done():
        try:
            await asyncio.shield(task)
        except asyncio.CancelledError:
            is_cancelled = True
    if is_cancelled:
        raise asyncio.CancelledError
