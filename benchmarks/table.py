"""Small statistics and Markdown rows."""

from __future__ import annotations

import statistics
from collections.abc import Sequence

__all__ = ["heading", "row", "spread"]


def spread(values: Sequence[float]) -> str:
    """Median, range and n, so that a reader sees how far to trust the figure."""
    return f"{statistics.median(values):.3g} ({min(values):.3g} to {max(values):.3g}, n={len(values)})"


def row(*cells: str) -> str:
    return "| " + " | ".join(cells) + " |"


def heading(*cells: str) -> str:
    return row(*cells) + "\n" + row(*("---" for _ in cells))
