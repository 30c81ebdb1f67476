"""Keeps a key out of everything that an endpoint says: an error may quote it, and a hostile endpoint may send it back as text.

What is hidden may arrive in pieces, so a piece that could be its beginning is held back until the next one comes.
"""

from __future__ import annotations

from assistant.ports.provider import OnText

__all__ = ["PieceRedaction", "redacted"]

_LEAST_LENGTH = 8
"""Shorter "keys" are placeholders (``none``, ``ollama``), whose removal would only spoil words."""
_STAND_IN = "[key]"


def redacted(text: str, key: str | None) -> str:
    """``text`` without the key."""
    return text if key is None or len(key) < _LEAST_LENGTH else text.replace(key, _STAND_IN)


class PieceRedaction:
    """Passes pieces of a text on without the key, later by as many characters as may be its beginning."""

    def __init__(self, key: str | None, on_text: OnText) -> None:
        self._key = key if key is not None and len(key) >= _LEAST_LENGTH else None
        self._on_text = on_text
        self._held = ""

    def add(self, piece: str) -> None:
        text = redacted(self._held + piece, self._key)
        kept = self._beginning(text)
        self._held = text[len(text) - kept :]
        self._pass(text[: len(text) - kept])

    def end(self) -> None:
        held, self._held = self._held, ""
        self._pass(held)

    def _beginning(self, text: str) -> int:
        """Length of the longest end of ``text`` that the key begins with."""
        if self._key is None:
            return 0
        longest = min(len(text), len(self._key) - 1)
        return next((n for n in range(longest, 0, -1) if self._key.startswith(text[len(text) - n :])), 0)

    def _pass(self, text: str) -> None:
        if text:
            self._on_text(text)
