"""What a program printed, as far as it may stand in a prompt where the candidate's own host code printed it. Pure.

Such code can print whatever it can read. So of its words only those are shown that the writer knows, as they stand in the candidate's text
or in what the original prints, and a few numbers, of few digits. Example::

    with_known_words("sum FAIL: 0.25, root:x", {"sum", "FAIL"})     # "sum FAIL: 0.25, …:…"
"""

from __future__ import annotations

import re
from collections.abc import Set

__all__ = ["with_known_words", "words_of"]

_MOST_CHARACTERS = 200
_MOST_NUMBERS = 8
_MOST_DIGITS = 9
_MOST_WORDS = 16
_PIECE = re.compile(r"(?P<number>[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?(?!\w))|(?P<word>\w+)|(?P<blank>\s+)|(?P<sign>.)", re.DOTALL)
_SIGNS = frozenset(".,:;=+-*/%()[]<>|")
_LEFT_OUT = "…"


def words_of(text: str) -> frozenset[str]:
    """Its words."""
    return frozenset(re.findall(r"[^\W\d]\w*", text))


def with_known_words(printed: str, known: Set[str]) -> str:
    """``printed`` without what its reader does not know; ``…`` alone where its words are all unknown."""
    pieces = list(_PIECE.finditer(printed[:_MOST_CHARACTERS]))
    words = [piece["word"] for piece in pieces if piece["word"] is not None]
    if words and known.isdisjoint(words):
        return _LEFT_OUT
    shown: list[str] = []
    number_count = word_count = 0
    for piece in pieces:
        text = piece[0]
        if piece["number"] is not None:
            number_count += 1
            is_shown = number_count <= _MOST_NUMBERS and sum(letter.isdigit() for letter in text) <= _MOST_DIGITS
        elif piece["word"] is not None:
            word_count += 1
            is_shown = text in known and word_count <= _MOST_WORDS
        else:
            is_shown, text = (True, " ") if piece["blank"] is not None else (text in _SIGNS, text)
        shown.append(text if is_shown else _LEFT_OUT)
    return "".join(shown).strip() + (_LEFT_OUT if len(printed) > _MOST_CHARACTERS else "")
