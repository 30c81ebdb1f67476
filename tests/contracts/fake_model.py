"""A language model that answers from a script, in this process. Passes ``provider_contract``."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field

from assistant.model.completion import Completion, CompletionFailure, CompletionRequest, ModelRole, Price, ServedModel
from assistant.ports.provider import OnText

__all__ = ["Answer", "FakeModel"]

Answer = str | Completion | CompletionFailure
Script = Callable[[CompletionRequest], Answer]


@dataclass
class FakeModel:
    """Implements ``ports.provider.Provider`` and keeps what it was asked."""

    script: list[Answer] | Script = field(default_factory=list[Answer])
    """Used up in order, or a function of what is asked."""
    price: Price | None = None
    model: str = "small"
    is_stuck: bool = False
    """Its answers begin and never end."""
    requests: list[CompletionRequest] = field(default_factory=list[CompletionRequest])
    is_closed: bool = False

    def served(self, role: ModelRole, island: int = 0) -> ServedModel:
        return ServedModel(role, "openai", "http://localhost/v1", self.model, self.price)

    async def complete(self, request: CompletionRequest, on_text: OnText) -> Completion | CompletionFailure:
        self.requests.append(request)
        answer = self._answer(request)
        if isinstance(answer, CompletionFailure):
            return answer
        made = Completion(answer, f"{self.model}-2", None, None) if isinstance(answer, str) else answer
        on_text(made.text)
        if self.is_stuck:
            await asyncio.Event().wait()
        return made

    async def close(self) -> None:
        self.is_closed = True

    def _answer(self, request: CompletionRequest) -> Answer:
        if callable(self.script):
            return self.script(request)
        assert self.script, f"request {len(self.requests)}, {request.prompt}, has no answer in the script"
        return self.script.pop(0)
