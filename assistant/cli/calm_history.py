"""What ``history`` shows on a terminal: one row for each edit that was tried, its reason cut at the edge."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from rich.console import Console
from rich.markup import escape
from rich.table import Table

from assistant.cli.calm_words import short_names
from assistant.editor.tried import outcome_in_words
from assistant.engine.report import technique_in_words
from assistant.model.attempt import Attempt

__all__ = ["print_attempts"]


def print_attempts(console: Console, attempts: Iterable[Attempt], when: Callable[[int], str]) -> None:
    """``when``: a moment in milliseconds, in words."""
    shown = tuple(attempts)
    names = short_names(attempt.kernel for attempt in shown)
    table = Table(box=None, pad_edge=False, header_style="dim", padding=(0, 2, 0, 0))
    for head in ("when", "kernel", "edit", "outcome"):
        table.add_column(head, no_wrap=True)
    table.add_column("why", no_wrap=True, overflow="ellipsis", style="dim")
    for attempt in shown:
        cells = (
            when(attempt.created_ms),
            names[attempt.kernel],
            technique_in_words(attempt.technique),
            outcome_in_words(attempt),
            attempt.reason,
        )
        table.add_row(*map(escape, cells))
    console.print(table)
