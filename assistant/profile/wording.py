"""Numbers as people read them in a sentence."""

from __future__ import annotations

from collections.abc import Iterable

__all__ = ["lines_of", "number", "percent", "plural"]


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
