"""What keeps a technique from being applied to a kernel: a code for programs and a sentence for people.

Example::

    Obstacle(DeclineReason.VOLATILE, "`flag` is volatile: each access must reach memory")
"""

from __future__ import annotations

from assistant.model.plan import DeclineReason
from assistant.record import Record

__all__ = ["Obstacle"]


class Obstacle(Record):
    """Why a technique does not apply."""

    code: DeclineReason
    reason: str
    """One sentence, without a full stop, that the kernel's author understands."""
