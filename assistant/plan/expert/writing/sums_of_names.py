"""Sums of names and numbers as text: their opposite, and what is left of them where terms cancel each other.

Example::

    simplified((("+", "R"), ("-", "R"), ("+", "2"), ("+", "1")))    # '3'
    negative("2 * R")                                              # '-2 * R'
"""

from __future__ import annotations

__all__ = ["negative", "opposite", "signed", "simplified", "sum_terms"]


def negative(text: str) -> str:
    """The opposite of a sum of names and numbers."""
    if text == "0":
        return text
    return simplified(tuple((opposite(sign), term) for sign, term in sum_terms(text)))


def sum_terms(text: str) -> tuple[tuple[str, str], ...]:
    """Signed terms of a sum of names and numbers."""
    words = text.replace("-", " - ").replace("+", " + ").split()
    words = words if words and words[0] in "+-" else ["+", *words]
    return tuple(zip(words[::2], words[1::2], strict=True))


def simplified(terms: tuple[tuple[str, str], ...]) -> str:
    """The sum, without terms that cancel each other, its numbers as one."""
    left, number = list[tuple[str, str]](), 0
    for sign, text in terms:
        if text.isdigit():
            number += int(text) if sign == "+" else -int(text)
        elif (opposite(sign), text) in left:
            left.remove((opposite(sign), text))
        else:
            left.append((sign, text))
    left.sort(key=lambda term: term[0] == "-")
    parts = [f"{sign} {text}" for sign, text in (*left, *([("-" if number < 0 else "+", str(abs(number)))] if number else []))]
    whole = " ".join(parts) or "0"
    return whole.removeprefix("+ ") if whole.startswith("+") else whole.replace("- ", "-", 1) if whole.startswith("-") else whole


def opposite(sign: str) -> str:
    return "-" if sign == "+" else "+"


def signed(text: str) -> str:
    """``+ R`` or ``- R``."""
    return f"- {text[1:]}" if text.startswith("-") else f"+ {text}"
