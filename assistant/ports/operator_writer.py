"""Who writes the first kernel of a PyTorch task where rules do not."""

from __future__ import annotations

from typing import Protocol

from assistant.model.completion import CompletionFailure
from assistant.record import Record

__all__ = ["OperatorQuestion", "OperatorWriter", "WrittenOperator"]


class OperatorQuestion(Record):
    """What is to be written, and what came of the text before."""

    name: str
    """The task's class."""
    task: str
    """The text of its file."""
    functions: tuple[str, ...]
    """What one call does in PyTorch, a line for each function."""
    weights: tuple[str, ...]
    """Name and shape of each."""
    reason: str
    """Why rules write none."""
    candidate: str = ""
    """The text that was judged; empty: none was written yet."""
    problems: tuple[str, ...] = ()
    """What is wrong with it."""


class WrittenOperator(Record):
    """A candidate, untrusted."""

    text: str
    """Of a ``.cu`` file."""
    model: str
    """Who wrote it, as the endpoint says."""


class OperatorWriter(Protocol):
    """Writes candidates; each is judged, and what is wrong with it is the next question."""

    async def written(self, question: OperatorQuestion) -> WrittenOperator | CompletionFailure: ...
