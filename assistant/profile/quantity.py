"""Numbers for people: with their unit, in the size people say them."""

from __future__ import annotations

from collections.abc import Sequence

__all__ = ["counted_noun", "first_of", "format_change", "format_quantity"]

_TIME_UNITS = ((1.0, "s"), (1e-3, "ms"), (1e-6, "µs"))


def format_quantity(value: float, unit: str) -> str:
    """Integers in full with thousands separators, the rest with three significant digits; seconds scaled.

    Example: ``format_quantity(16777216, "sectors")`` → ``16,777,216 sectors``; ``format_quantity(2.5e-4, "s")`` → ``250 µs``.
    """
    if unit == "s":
        for factor, name in _TIME_UNITS:
            if abs(value) >= factor:
                return f"{value / factor:.3g} {name}"
        return f"{value / 1e-9:.3g} ns"
    number = f"{value:,.0f}" if float(value).is_integer() else f"{value:,.3g}"
    return number if unit == "ratio" else f"{number} {unit}".rstrip()


def format_change(before: float, after: float, unit: str) -> str:
    """Both numbers and their unit once: ``150,000 → 18,750 sectors``."""
    old, new = format_quantity(before, unit), format_quantity(after, unit)
    suffix = f" {unit}"
    return f"{old.removesuffix(suffix)} → {new}" if unit != "s" else f"{old} → {new}"


def counted_noun(count: int, noun: str, plural: str = "") -> str:
    """``1 kernel``, ``2 kernels``; ``plural`` where it is not the noun with an s."""
    return f"{count} {noun}" if count == 1 else f"{count} {plural or noun + 's'}"


def first_of(names: Sequence[str], most: int) -> str:
    """``a, b`` or ``a, b, …``: no more of them than ``most``."""
    return ", ".join(names[:most]) + (", …" if len(names) > most else "")
