"""The editor's own model: the request goes to the editor, which asks the person and calls its model (DESIGN §8)."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import Protocol

from assistant.model.completion import Completion, CompletionFailure, CompletionRequest, FailureKind, ModelRole, ServedModel
from assistant.plan.providers.answer import ANSWER_BYTES, well_formed
from assistant.plan.providers.prices import PriceTable
from assistant.plan.providers.refusals import plain
from assistant.ports import OnText

__all__ = ["EDITOR_ENDPOINT", "EditorProvider", "ModelRelay"]

EDITOR_ENDPOINT = "the editor's model"


class ModelRelay(Protocol):
    """Carries one request to the editor of this job and its answer back. Cancelling it tells the editor."""

    async def complete(self, request: CompletionRequest, on_text: OnText) -> Completion | CompletionFailure: ...


class EditorProvider:
    """Implements `Provider`."""

    def __init__(self, relay: ModelRelay, timeout_s: float, prices: PriceTable) -> None:
        self._relay = relay
        self._timeout_s = timeout_s
        self._price = prices.price(EDITOR_ENDPOINT, "")

    def served(self, role: ModelRole) -> ServedModel:
        return ServedModel(role, "editor", EDITOR_ENDPOINT, "", self._price)

    async def complete(self, request: CompletionRequest, on_text: OnText) -> Completion | CompletionFailure:
        pieces: list[str] = []

        def heard(piece: str) -> None:
            pieces.append(piece)
            on_text(piece)

        try:
            async with asyncio.timeout(self._timeout_s):
                return _bounded(await self._relay.complete(request, heard))
        except TimeoutError:
            message = f"the editor's model did not end its answer within {self._timeout_s:g} s"
            return CompletionFailure(FailureKind.TIMED_OUT, message, "raise provider.timeout_s", "".join(pieces))

    async def close(self) -> None:
        """Nothing is held."""


def _bounded(answer: Completion | CompletionFailure) -> Completion | CompletionFailure:
    """The answer as text that can be kept and shown."""
    match answer:
        case CompletionFailure(message=message):
            return replace(answer, message=plain(message))
        case Completion(text=text) if len(text) > ANSWER_BYTES:
            message = f"the answer of the editor's model is larger than {ANSWER_BYTES:,} bytes"
            return CompletionFailure(FailureKind.TOO_LARGE, message, "choose another model in the editor", well_formed(text[:ANSWER_BYTES]))
        case Completion(text=text, model=model):
            return replace(answer, text=well_formed(text), model=plain(model))
