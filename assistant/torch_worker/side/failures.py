# pyright: basic, reportMissingImports=false
# PyTorch is the project's own: what is installed with the checker says little of its types.
"""What ends a side's work: one sentence, with a kind that decides what the judge makes of it."""

from __future__ import annotations

import traceback

__all__ = ["SideError", "in_words"]


class SideError(Exception):
    """``kind``: ``raised``, ``bad_inputs``, ``bad_output``, ``state_differs``, ``bad_task``, ``unsupported``."""

    def __init__(self, kind: str, message: str) -> None:
        super().__init__(message)
        self.kind = kind


def in_words(error: BaseException, path: str) -> str:
    """``ZeroDivisionError: division by zero (task.py:12)``: the place is the deepest one in the user's file."""
    frames = [frame for frame in traceback.extract_tb(error.__traceback__) if frame.filename == path]
    place = f" ({path.rpartition('/')[2]}:{frames[-1].lineno})" if frames else ""
    text = " ".join(str(error).split())
    return f"{type(error).__name__}: {text[:400]}{place}"
