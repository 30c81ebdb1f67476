"""Requests to the editor's own model, across the pipe between a job host and its front end.

====================================================  ======================================================================
``{"id": 1, "ask": 1, "request": {…}}``               the host asks: a `CompletionRequest`
``{"id": 1, "ask": 1, "abandon": true}``              the host no longer waits
``{"id": 1, "ask": 1, "piece": "…"}``                 a piece of the answer, as it comes
``{"id": 1, "ask": 1, "answer": {…}}``                a `Completion` or a `CompletionFailure`
====================================================  ======================================================================

Both sides implement `ModelRelay`: `HostRelay` in the host hands on what the job asks, `ModelAnswers` in the front end has it answered.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Any

from assistant.model.completion import Completion, CompletionFailure, CompletionRequest, FailureKind
from assistant.ports.provider import OnText
from assistant.record import Record
from assistant.serialize import decode, encode

if TYPE_CHECKING:
    from assistant.plan.providers import ModelRelay

__all__ = ["HostRelay", "ModelAnswers", "is_about_models"]

_NO_MODEL = CompletionFailure(
    FailureKind.NO_MODEL, "this editor offers no language model", "set provider.kind to openai or manual, or use an editor with a model"
)


def is_about_models(message: dict[str, Any]) -> bool:
    return "ask" in message


class _Pending(Record):
    on_text: OnText
    answer: asyncio.Future[Completion | CompletionFailure]


class HostRelay:
    """The host's side; `connect` comes first."""

    def __init__(self) -> None:
        self._send: Callable[[dict[str, Any]], None] | None = None
        self._pending: dict[int, _Pending] = {}
        self._last = 0

    def connect(self, send: Callable[[dict[str, Any]], None]) -> None:
        """``send`` writes one message to the front end, for the job that runs."""
        self._send = send

    async def complete(self, request: CompletionRequest, on_text: OnText) -> Completion | CompletionFailure:
        """The front end's answer; cancelling stops it there."""
        if self._send is None:
            return _NO_MODEL
        self._last += 1
        number = self._last
        pending = self._pending[number] = _Pending(on_text, asyncio.get_running_loop().create_future())
        self._send({"ask": number, "request": encode(request)})
        is_answered = False
        try:
            answer = await pending.answer
            is_answered = True
        finally:
            del self._pending[number]
            if not is_answered:
                self._send({"ask": number, "abandon": True})
        return answer

    def heard(self, message: dict[str, Any]) -> None:
        """A message of the front end; a late one is ignored."""
        pending = self._pending.get(message["ask"])
        if pending is None or pending.answer.done():
            return
        if "piece" in message:
            pending.on_text(message["piece"])
        else:
            pending.answer.set_result(decode(Completion | CompletionFailure, message["answer"]))


class ModelAnswers:
    """The front end's side, for one job."""

    def __init__(self, models: ModelRelay | None, send: Callable[[dict[str, Any]], Awaitable[None]]) -> None:
        """``models`` answers; None: the editor has none. ``send`` writes one message to the host."""
        self._models = models
        self._send = send
        self._tasks: dict[int, asyncio.Task[None]] = {}

    def heard(self, message: dict[str, Any]) -> None:
        number = message["ask"]
        if "abandon" in message:
            task = self._tasks.get(number)
            if task is not None:
                task.cancel()
            return
        task = self._tasks[number] = asyncio.create_task(self._answer(number, decode(CompletionRequest, message["request"])))
        task.add_done_callback(lambda _: self._tasks.pop(number, None))

    async def end(self) -> None:
        """The job has ended: nothing that it asked goes on."""
        tasks = tuple(self._tasks.values())
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    async def _answer(self, number: int, request: CompletionRequest) -> None:
        pieces: asyncio.Queue[str | None] = asyncio.Queue()
        sending = asyncio.create_task(self._send_pieces(number, pieces))
        try:
            answer = _NO_MODEL if self._models is None else await self._models.complete(request, pieces.put_nowait)
            pieces.put_nowait(None)
            await sending
            await self._send({"ask": number, "answer": encode(answer)})
        except ConnectionError:
            return  # the host is gone, which its reader reports
        finally:
            sending.cancel()
            await asyncio.gather(sending, return_exceptions=True)

    async def _send_pieces(self, number: int, pieces: asyncio.Queue[str | None]) -> None:
        """Pieces in their order, each before the answer; None ends them."""
        while (piece := await pieces.get()) is not None:
            await self._send({"ask": number, "piece": piece})
