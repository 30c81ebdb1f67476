"""An edit as it is shown next to the evidence: a short unified diff without file names. Pure."""

from __future__ import annotations

import difflib

__all__ = ["shown_diff"]

_MOST_LINES = 40
_MOST_COLUMNS = 160


def shown_diff(before: str, after: str) -> str:
    """The changed lines with one line around them, cut at `_MOST_LINES`."""
    lines = list(difflib.unified_diff(before.splitlines(), after.splitlines(), n=1, lineterm=""))[2:]
    shown = [line[:_MOST_COLUMNS] for line in lines[:_MOST_LINES]]
    left = len(lines) - len(shown)
    return "\n".join([*shown, *([f"… {left} more lines"] if left else [])])
