"""A model that works with tools: it asks for calls, gets their results, and goes on until it submits or has nothing more to try.

What the tools do stands in the engine, which runs and judges; what a model is sent and how its calls are read stands in the plan.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from assistant.model.completion import ToolCall, ToolSpec
from assistant.model.plan import Rewrite, Step
from assistant.ports.planner import PlanRequest
from assistant.record import Record

__all__ = ["UNREADABLE", "Agent", "AgentEnded", "AgentTurn", "Conversation", "ToolAnswer", "WrittenEdit"]

UNREADABLE = "unreadable"
"""The one argument of a call whose arguments are no JSON object, in place of them."""


class ToolAnswer(Record):
    """What came of a call."""

    call: ToolCall
    text: str


class AgentTurn(Record):
    """What the model asks for now; nothing: it is done."""

    calls: tuple[ToolCall, ...]
    text: str
    """What it says besides."""
    model_calls: tuple[str, ...]
    """Ids of the calls of the model so far; the last one brought this."""


class AgentEnded(Record):
    """No further turn comes: the budget, the endpoint."""

    reason: str


class WrittenEdit(Record):
    """An edit that the model had judged, as a step with its rewrite."""

    step: Step
    rewrite: Rewrite


class Conversation(Protocol):
    """One kernel's."""

    async def turn(self, answers: Sequence[ToolAnswer]) -> AgentTurn | AgentEnded:
        """The next turn, after the answers to the calls of the one before; none at the beginning."""
        ...

    def edit(self, call: ToolCall) -> WrittenEdit | str:
        """The edit that a call of `judge` holds, or what is wrong with it."""
        ...


class Agent(Protocol):
    """Begins conversations."""

    @property
    def name(self) -> str: ...

    def begin(self, request: PlanRequest, tools: Sequence[ToolSpec]) -> Conversation:
        """``tools``: what may be called besides ``judge``, whose arguments are the agent's own."""
        ...
