"""The editor's own model: the request goes to the editor, which asks the person and calls its model."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from dataclasses import replace
from typing import Protocol

from assistant.model.completion import Completion, CompletionFailure, CompletionRequest, FailureKind, ModelRole, ServedModel
from assistant.plan.providers.answer import answer_limit_bytes, well_formed
from assistant.plan.providers.error_replies import plain
from assistant.plan.providers.patience import Patience
from assistant.plan.providers.prices import PriceTable
from assistant.ports.provider import OnText

__all__ = ["EDITOR_ENDPOINT", "EditorProvider", "ModelRelay"]

EDITOR_ENDPOINT = "the editor's model"


class ModelRelay(Protocol):
    """Carries one request to the editor of this job and its answer back. Cancelling it informs the editor."""

    async def complete(self, request: CompletionRequest, on_text: OnText) -> Completion | CompletionFailure: ...


class EditorProvider:
    """Implements `Provider`."""

    def __init__(self, relay: ModelRelay, patience: Patience, prices: PriceTable) -> None:
        self._relay = relay
        self._patience = patience
        self._price = prices.price(EDITOR_ENDPOINT, "")

    def served(self, role: ModelRole, island: int = 0) -> ServedModel:
        return ServedModel(role, "editor", EDITOR_ENDPOINT, "", self._price)

    async def complete(self, request: CompletionRequest, on_text: OnText) -> Completion | CompletionFailure:
        limit_bytes = answer_limit_bytes(request.max_output_tokens)
        heard = _Heard(limit_bytes, on_text)
        started_s = time.monotonic()
        try:
            async with self._patience.waiting() as heard.piece:
                return await self._answered(request, heard, limit_bytes)
        except TimeoutError:
            passed = self._patience.passed(EDITOR_ENDPOINT, time.monotonic() - started_s)
            return CompletionFailure(FailureKind.TIMED_OUT, *passed, heard.text)

    async def _answered(self, request: CompletionRequest, heard: _Heard, limit_bytes: int) -> Completion | CompletionFailure:
        answering = asyncio.ensure_future(self._relay.complete(request, heard.add))
        overflow = asyncio.ensure_future(heard.is_over.wait())
        try:
            await asyncio.wait((answering, overflow), return_when=asyncio.FIRST_COMPLETED)
            return _oversized(limit_bytes, heard.text) if heard.is_over.is_set() else _bounded(answering.result(), limit_bytes)
        finally:
            overflow.cancel()
            answering.cancel()
            await asyncio.gather(overflow, answering, return_exceptions=True)

    async def close(self) -> None:
        """Nothing is held."""


class _Heard:
    """The pieces of an answer up to a bound; what comes behind it is neither kept nor shown."""

    def __init__(self, limit_bytes: int, on_text: OnText) -> None:
        self._left_bytes = limit_bytes
        self._on_text = on_text
        self._pieces: list[str] = []
        self.piece: Callable[[], None] = lambda: None
        """Called with every piece."""
        self.is_over = asyncio.Event()

    @property
    def text(self) -> str:
        return well_formed("".join(self._pieces))

    def add(self, piece: str) -> None:
        self.piece()
        self._left_bytes -= _size_bytes(piece)
        if self._left_bytes < 0:
            self.is_over.set()
            return
        self._pieces.append(piece)
        self._on_text(piece)


def _size_bytes(text: str) -> int:
    return len(text.encode("utf-8", "surrogatepass"))


def _oversized(limit_bytes: int, begun: str) -> CompletionFailure:
    message = f"the answer of the editor's model is larger than {limit_bytes:,} bytes"
    return CompletionFailure(FailureKind.TOO_LARGE, message, "choose another model in the editor", begun)


def _bounded(answer: Completion | CompletionFailure, limit_bytes: int) -> Completion | CompletionFailure:
    """The answer as text that can be kept and shown."""
    match answer:
        case CompletionFailure(message=message, partial_text=partial):
            return replace(answer, message=plain(message), partial_text=None if partial is None else well_formed(partial[:limit_bytes]))
        case Completion(text=text) if _size_bytes(text) > limit_bytes:
            return _oversized(limit_bytes, well_formed(text[:limit_bytes]))
        case Completion(text=text, model=model):
            return replace(answer, text=well_formed(text), model=plain(model))
