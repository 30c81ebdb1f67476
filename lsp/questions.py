"""Questions that a client without messages with buttons (Helix) cannot ask: they stand as a note, and code actions answer them.

Example::

    answer = await questions.put("Run it?", ("Once", "Never"))     # ends when an action was taken
    [question.message for question in questions.open]              # ['Run it?'] until then
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from assistant.record import Record

__all__ = ["OpenQuestion", "Questions"]


class OpenQuestion(Record):
    id: str
    message: str
    answers: tuple[str, ...]


class Questions:
    """Those of one client."""

    def __init__(self) -> None:
        self.on_change: Callable[[], None] = lambda: None
        """Called when a question begins or ends to stand somewhere."""
        self._open: dict[str, tuple[OpenQuestion, asyncio.Future[str]]] = {}
        self._put_count = 0

    @property
    def open(self) -> tuple[OpenQuestion, ...]:
        return tuple(question for question, _ in self._open.values())

    async def put(self, message: str, answers: tuple[str, ...]) -> str:
        """The answer that a person gives; for as long as it takes."""
        self._put_count += 1
        question = OpenQuestion(f"Q{self._put_count}", message, answers)
        answered = asyncio.get_running_loop().create_future()
        self._open[question.id] = (question, answered)
        self.on_change()
        try:
            return await answered
        finally:
            del self._open[question.id]
            self.on_change()

    def answer(self, question: str, answer: str) -> bool:
        """Whether the question was open, and this is one of its answers."""
        found = self._open.get(question)
        if found is None or answer not in found[0].answers or found[1].done():
            return False
        found[1].set_result(answer)
        return True
