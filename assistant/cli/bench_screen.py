"""What a running suite shows: a line per row, then the sums; with ``--json`` an object each.

Example::

    screen = SuiteScreen(["matmul 96", "scale 96"], is_json=False)
    screen.show(row.title, row_line(row), row_object(row))     # [1/2] matmul 96: …
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from assistant.cli.console import console
from assistant.serialize import dumps

__all__ = ["SuiteScreen"]


class SuiteScreen:
    """Numbers the runs by their titles."""

    def __init__(self, titles: Sequence[str], is_json: bool) -> None:
        self._number = {title: number for number, title in enumerate(titles, 1)}
        self._is_json = is_json

    def begin(self, done_count: int, notes: Iterable[str] = ()) -> None:
        """How many runs are finished already, and what else is to be known."""
        for note in notes:
            self._say(note)
        if done_count:
            self._say(f"{done_count} of {len(self._number)} runs are finished already")

    def show(self, title: str, line: str, row: Mapping[str, Any]) -> None:
        """A row that has just ended."""
        if self._is_json:
            _print_line(dumps(dict(row)))
        else:
            self._say(f"[{self._number[title]}/{len(self._number)}] {line}")

    def end(self, lines: Iterable[str], figures: Any, out: Path) -> None:
        """The sums, and where the results are."""
        if self._is_json:
            _print_line(dumps({"figures": figures, "out": str(out)}))
            return
        for line in lines:
            self._say(line)
        self._say(f"results: {out}: results.md, results.json, results.svg")

    def _say(self, text: str) -> None:
        if not self._is_json:
            console().print(text, markup=False, soft_wrap=True, highlight=False)


def _print_line(text: str) -> None:
    sys.stdout.write(text + "\n")
    sys.stdout.flush()
