"""Small statistics and Markdown rows."""

from __future__ import annotations

import statistics
from collections.abc import Sequence

__all__ = ["heading", "percentiles", "row", "spread"]


def spread(values: Sequence[float]) -> str:
    """Median, range and n, so that a reader sees how far to trust the figure."""
    return f"{statistics.median(values):.3g} ({min(values):.3g} to {max(values):.3g}, n={len(values)})"


def percentiles(values: Sequence[float], unit: str) -> str:
    """``12 / 15 / 19 ms (n=100)``: seconds as milliseconds, everything else as it is; one value stands alone."""
    scaled = [value * 1e3 for value in values] if unit == "ms" else list(values)
    if len(scaled) == 1:
        return f"{scaled[0]:.0f} {unit}"
    cuts = statistics.quantiles(scaled, n=100, method="inclusive")
    return f"{cuts[49]:.3g} / {cuts[94]:.3g} / {cuts[98]:.3g} {unit} (n={len(scaled)})"


def row(*cells: str) -> str:
    return "| " + " | ".join(cells) + " |"


def heading(*cells: str) -> str:
    return row(*cells) + "\n" + row(*("---" for _ in cells))
