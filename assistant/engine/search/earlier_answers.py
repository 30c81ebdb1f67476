"""Answers of models that an interrupted search was given, by what they are about: a search that goes on asks for none of them again.

Example::

    answers = EarlierAnswers(store.model_calls("J1"))
    answers.taken(request.about)      # the call that brought the first one; then the second, None at the end
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable

from assistant.model.completion import Completion, ModelCall

__all__ = ["EarlierAnswers"]


class EarlierAnswers:
    """What is left of them."""

    def __init__(self, calls: Iterable[ModelCall]) -> None:
        """``calls``: in the order they began; those that brought no answer are left out."""
        self._left: dict[str, deque[ModelCall]] = {}
        for call in calls:
            if isinstance(call.answer, Completion) and call.request.about:
                self._left.setdefault(call.request.about, deque()).append(call)

    def taken(self, about: str) -> ModelCall | None:
        """The next answer to this question; None where none is left."""
        left = self._left.get(about)
        return left.popleft() if left else None
