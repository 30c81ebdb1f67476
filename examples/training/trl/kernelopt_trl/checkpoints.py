"""Which checkpoint a broken-off run goes on from: the last that was written to its end. Pure but for reading the folder."""

from __future__ import annotations

import json
from pathlib import Path

__all__ = ["last_whole"]

_LAST_WRITTEN = "trainer_state.json"
"""By `transformers.Trainer`, after weights, optimizer and random states."""


def last_whole(folder: Path) -> str | None:
    """None where the run begins."""
    whole = [path.parent for path in folder.glob(f"checkpoint-*/{_LAST_WRITTEN}") if _is_json(path)]
    return str(max(whole, key=lambda path: int(path.name.rpartition("-")[2]))) if whole else None


def _is_json(path: Path) -> bool:
    try:
        json.loads(path.read_text("utf-8"))
    except ValueError:
        return False
    return True
