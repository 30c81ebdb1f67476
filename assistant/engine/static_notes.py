"""What a source says of itself, while it is being typed: no compiler, no run. Pure."""

from __future__ import annotations

from assistant.engine.view import Note
from assistant.model.source import ParsedSource

__all__ = ["static_notes"]


def static_notes(parsed: ParsedSource) -> tuple[Note, ...]:
    """Notes of stage ``static``."""
    del parsed
    return ()
