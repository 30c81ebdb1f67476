"""Language models behind one method, and the accounts of the job that asks them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from assistant.model.completion import Completion, CompletionFailure, CompletionRequest, ModelCall, ModelRole, ServedModel

__all__ = ["Accounts", "OnText", "Provider"]

OnText = Callable[[str], None]
"""Is given each piece of an answer as it comes."""


class Provider(Protocol):
    """Language models behind one method. Raises nothing for what an endpoint may do: failures are values."""

    def served(self, role: ModelRole, island: int = 0) -> ServedModel:
        """Who would answer for ``role`` in an island of the search: for notices, estimates and prices."""
        ...

    async def complete(self, request: CompletionRequest, on_text: OnText) -> Completion | CompletionFailure:
        """One call, retried within its time-out where that may help. Cancelling it abandons the connection."""
        ...

    async def close(self) -> None: ...


class Accounts(Protocol):
    """What one job may spend on models, and what it has spent."""

    def refusal(self, served: ServedModel, input_token_count: int, max_output_tokens: int) -> CompletionFailure | None:
        """Why a call that may cost so much is not made; None: it fits what is left."""
        ...

    def lasting(self, served: ServedModel) -> CompletionFailure | None:
        """What every further call would end with; None while one may be answered."""
        ...

    def answered(self, request: CompletionRequest) -> ModelCall | None:
        """The call that answered this question in the search that this one goes on with, each once; None where there is none."""
        ...

    async def room(self, served: ServedModel, input_token_count: int, max_output_tokens: int) -> None:
        """Return when no call that is under way keeps this one from being made: each holds what its longest answer may cost."""
        ...

    def sending(self, request: CompletionRequest, served: ServedModel, input_token_count: int) -> None:
        """Note a call before it leaves, with the upper estimate of its prompt; what it may cost is held until it is recorded."""
        ...

    def record(self, call: ModelCall) -> None:
        """Keep a call and charge it, whether it was answered or not."""
        ...

    def writing(self, role: ModelRole, piece: str) -> None:
        """A piece of an answer that comes in, for a person who watches."""
        ...
