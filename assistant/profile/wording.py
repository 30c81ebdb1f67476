"""Numbers as people read them in a sentence."""

from __future__ import annotations

import re
from collections.abc import Iterable

__all__ = ["CLAUSE_CHARACTERS", "lines_of", "main_clause", "number", "percent", "plural"]

CLAUSE_CHARACTERS = 110
"""Longest line of a hover: about what VS Code shows in one."""
_PARENTHESES = re.compile(r"\s*\([^()]*\)")
_SECTORS = re.compile(r"A global (\w+) request of this line touches (\S+) theoretical sectors, as Nsight Compute counts them, where ")


def number(value: float) -> str:
    """``4``, ``4.25``, ``32.1``, ``1,048,576``: whole numbers whole, others to three digits, never in exponents above 0.001."""
    if abs(value - round(value)) < 0.005 and abs(value) >= 1:
        return f"{round(value):,}"
    if abs(value) >= 100:
        return f"{value:,.0f}"
    return f"{value:.3g}"


def percent(ratio: float) -> str:
    """``37 %`` for 0.37."""
    return f"{ratio * 100:.0f} %"


def lines_of(numbers: Iterable[int]) -> str:
    """``line 4``, ``lines 4 and 7``, ``lines 4, 5 and 7``; at least one number."""
    words = [str(line) for line in sorted(set(numbers))]
    return f"line {words[0]}" if len(words) == 1 else f"lines {', '.join(words[:-1])} and {words[-1]}"


def plural(count: float, noun: str) -> str:
    """``1 warp``, ``2 warps``."""
    return f"{number(count)} {noun}" if round(count) == 1 else f"{number(count)} {noun}s"


def main_clause(message: str) -> str:
    """What a finding says before its details, in one line: without parentheses, up to the first semicolon.

    ``Each store request touches 32 sectors where 4 would do: the threads of a warp write addresses far apart``.
    """
    text = _SECTORS.sub(r"Each \1 request touches \2 sectors where ", _PARENTHESES.sub("", message)).partition("; ")[0]
    while len(text) > CLAUSE_CHARACTERS and (end := max(text.rfind(": "), text.rfind(", "))) > 0:
        text = text[:end]
    return text if len(text) <= CLAUSE_CHARACTERS else f"{text[:CLAUSE_CHARACTERS].rpartition(' ')[0] or text[: CLAUSE_CHARACTERS - 1]}…"
