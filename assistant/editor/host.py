"""The job host: a child process in which a front end's jobs run, so that nothing heavy or fragile happens in the editor's process.

It reads one JSON object per line on stdin and writes one per line on its private copy of stdout; what else is printed lands on
stderr (as with the workers). One job at a time.

====================================  ==============================================================
``{"id": 1, "task": {…}}``            run `Task`; answered by ``{"id": 1, "event": {…}}`` lines and ``{"id": 1, "end": null}``
``{"id": 1, "cancel": true}``         end that job: its workers are killed, then ``end`` follows
====================================  ==============================================================

A job that asks the editor's own model says so between its events (`assistant.editor.relay`). A task that cannot be run at all ends with
``{"id": 1, "end": {"message": …, "remedy": …, "exit_code": …}}``. End of input ends the host and everything it started.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import signal
import sys
import traceback
from collections.abc import AsyncIterator
from dataclasses import replace
from typing import Any, BinaryIO, Protocol

from assistant.editor.relay import HostRelay, is_about_models
from assistant.editor.tasks import OperatorTask, Task, Verb
from assistant.engine import INTERNAL, Accept, Session, event_object
from assistant.engine.pair import Pair
from assistant.errors import KernelOptError, UsageError
from assistant.model.events import Event
from assistant.serialize import decode

__all__ = ["HostResource", "serve"]

_LINE_LIMIT_BYTES = 256 << 20
"""A request carries the texts of open documents."""


def serve(session: Session, kept: HostResource, relay: HostRelay) -> int:
    """Answer requests until stdin ends or SIGTERM comes; 0. ``kept`` is warmed up first and ends last; ``relay`` is the session's."""
    out = os.fdopen(os.dup(1), "wb", buffering=0)
    os.dup2(2, 1)
    try:
        asyncio.run(_Host(session, out, relay).serve_with(kept))
    finally:
        session.close()
    return 0


class HostResource(Protocol):
    """A resource that outlives the jobs of a host."""

    async def warm_up(self) -> None:
        """Make ready for the first job; never raises."""
        ...

    async def close(self) -> None: ...


class _Host:
    def __init__(self, session: Session, out: BinaryIO, relay: HostRelay) -> None:
        self._session = session
        self._out = out
        self._relay = relay
        relay.connect(lambda message: self._send({"id": self._id} | message))
        self._job: asyncio.Task[None] | None = None
        self._id: int | None = None

    async def serve_with(self, kept: HostResource) -> None:
        warming = asyncio.create_task(kept.warm_up())
        try:
            await self._serve()
        finally:
            warming.cancel()
            await asyncio.gather(warming, return_exceptions=True)
            await kept.close()

    async def _serve(self) -> None:
        stop = asyncio.Event()
        loop = asyncio.get_running_loop()
        for number in (signal.SIGTERM, signal.SIGINT):
            loop.add_signal_handler(number, stop.set)
        reader = asyncio.StreamReader(limit=_LINE_LIMIT_BYTES)
        await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), sys.stdin.buffer)
        reading = asyncio.create_task(self._read(reader))
        stopping = asyncio.create_task(stop.wait())
        await asyncio.wait((reading, stopping), return_when=asyncio.FIRST_COMPLETED)
        reading.cancel()
        stopping.cancel()
        await self._cancel()

    async def _read(self, reader: asyncio.StreamReader) -> None:
        while line := await reader.readline():
            message: dict[str, Any] = json.loads(line)
            if is_about_models(message):
                if message["id"] == self._id:
                    self._relay.heard(message)
                continue
            if message.get("cancel"):
                if message["id"] == self._id:
                    await self._cancel()
                continue
            if self._job is not None:
                await self._job
            self._id = message["id"]
            self._job = asyncio.create_task(self._run(message["id"], message["task"]))
            await asyncio.sleep(0)  # a task that is cancelled before its first step would never report its end

    async def _cancel(self) -> None:
        job, self._job = self._job, None
        if job is not None:
            job.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await job

    async def _run(self, request_id: int, data: dict[str, Any]) -> None:
        failure: dict[str, Any] | None = None
        try:
            task: Task = decode(Task, data)
            stream = _answer(self._session, task)
            async for event in _closing(stream):
                self._send({"id": request_id, "event": event_object(event)})
        except KernelOptError as error:
            failure = {"message": error.message, "remedy": error.remedy, "exit_code": error.exit_code}
        except Exception as error:  # noqa: BLE001 - the job's boundary: the front end gets the error, the host goes on
            traceback.print_exc()
            message = f"internal error: {type(error).__name__}: {error}"
            failure = {"message": message, "remedy": "run it again; kernelopt doctor", "exit_code": INTERNAL}
        finally:
            self._send({"id": request_id, "end": failure})

    def _send(self, message: dict[str, Any]) -> None:
        with contextlib.suppress(BrokenPipeError):
            self._out.write(json.dumps(message, ensure_ascii=False, allow_nan=False).encode("utf-8", "surrogatepass") + b"\n")


async def _closing(stream: AsyncIterator[Event]) -> AsyncIterator[Event]:
    """The stream, closed at once when the job is cancelled, so that its workers end before ``end`` is sent."""
    try:
        async for event in stream:
            yield event
    finally:
        close = getattr(stream, "aclose", None)
        if close is not None:
            await close()


def _answer(session: Session, task: Task) -> AsyncIterator[Event]:
    """The events of a job."""
    if task.operator is not None:
        return _of_operator(session, task, task.operator)
    match task.verb:
        case Verb.INSPECT:
            return session.inspect(task.request)
        case Verb.CHECK:
            return session.check(task.request)
        case Verb.PROFILE:
            return session.profile(task.request)
        case Verb.OPTIMIZE:
            return session.optimize(task.request, replace(task.options, reports_original=True), Accept.NONE, None)
        case Verb.JUDGE:
            assert task.before, "judge needs a text to judge against"
            return session.judge(task.request, task.before, task.after)
        case Verb.REBASE:
            assert task.proposal is not None, "rebase needs a proposal"
            return session.rebase(task.proposal, task.request, task.hunk_ids)
        case Verb.PAIR_EDIT:
            return Pair(session).edited(task.request)
        case Verb.PAIR_SUGGEST:
            assert task.pair is not None, "pair_suggest needs a session"
            return Pair(session).suggest(task.pair, task.request, task.said, task.options)


def _of_operator(session: Session, task: Task, asked: OperatorTask) -> AsyncIterator[Event]:
    """The events of a job on a PyTorch task."""
    match task.verb:
        case Verb.PROFILE:
            return session.profile_operator(task.request, asked.options)
        case Verb.OPTIMIZE:
            return session.optimize_operator(task.request, asked.options, task.options)
        case Verb.CHECK:
            assert asked.candidate is not None, "check needs a candidate"
            return session.judge_operator("check", task.request, asked.candidate, asked.options)
        case _:
            raise UsageError(f"{task.verb} is not asked of PyTorch tasks", "check, profile or optimize it")
