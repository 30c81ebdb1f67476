"""An answer that is not made into an edit."""

from __future__ import annotations

from assistant.record import Record

__all__ = ["UnusableAnswer"]


class UnusableAnswer(Record):
    """Why, in words that the model can act on and a person can read."""

    reason: str
