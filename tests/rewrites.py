"""Programs with rewrites of them, a right and a wrong one each, as models answer: `tests/data/rewrites`."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

from assistant.record import Record

__all__ = ["Rewritten", "rewritten"]

_FOLDER = Path(__file__).resolve().parent / "data" / "rewrites"


class Rewritten(Record):
    """One program and its two answers."""

    name: str
    kernel: str
    """Which is asked about."""
    lab: str
    """``cpu``, or ``gpu`` where only a GPU can run it."""
    labels: tuple[str, ...]
    right_outcome: str
    """Of the right answer on the emulator."""

    @property
    def needs_cutlass(self) -> bool:
        return any(word in self.text("right.md") for word in ("cutlass/", "cute/"))

    def text(self, file: str) -> str:
        """``program.cu``, ``right.md`` or ``wrong.md``."""
        return (_FOLDER / self.name / file).read_text("utf-8")


def rewritten() -> tuple[Rewritten, ...]:
    """All of them."""
    answers: dict[str, dict[str, Any]] = tomllib.loads((_FOLDER / "answers.toml").read_text("utf-8"))
    return tuple(
        Rewritten(name, answer["kernel"], answer["lab"], tuple(answer["labels"]), answer.get("right", ""))
        for name, answer in answers.items()
    )
