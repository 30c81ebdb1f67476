"""An answer that is not made into an edit."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["UnusableAnswer"]


@dataclass(frozen=True)
class UnusableAnswer:
    """Why, in words that the model can act on and a person can read."""

    reason: str
