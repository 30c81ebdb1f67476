"""The meter of a job that asks language models: what it has spent of what it may."""

from __future__ import annotations

from rich.console import Console
from rich.markup import escape

from assistant.cli.layout import Page
from assistant.engine.search import caps_words, spent_words
from assistant.model import events
from assistant.model.completion import CallOutcome

__all__ = ["Meter", "meter_words"]


def meter_words(event: events.BudgetSpent) -> str:
    """``$0.04 for 3 calls, 11,204 tokens, capped at $0.05``."""
    caps = caps_words(event.caps)
    return f"{spent_words(event.spent)}, {caps}" if caps.startswith("capped") else spent_words(event.spent)


class Meter:
    """Says what was spent when all is over; each call as it ends only in verbose output."""

    def __init__(self, console: Console, is_verbose: bool) -> None:
        self._page = Page(console)
        self._is_verbose = is_verbose
        self._last: events.BudgetSpent | None = None
        self._asks_models = False

    def called(self, event: events.ModelCalled) -> None:
        if self._is_verbose or event.outcome is not CallOutcome.ANSWERED:
            tokens = f"{event.input_token_count:,} + {event.output_token_count:,} tokens"
            text = f"{event.prompt} by {event.model}: {event.outcome}, {tokens}, {event.duration_ms / 1e3:.1f} s"
            self._page.put(f"[dim]{escape(text)}[/]", indent=4)

    def spent(self, event: events.BudgetSpent) -> None:
        self._last = event
        self._asks_models = self._asks_models or event.estimate is not None or event.spent.call_count > 0

    def total(self) -> None:
        if self._last is not None and self._asks_models:
            self._page.put(f"language models: {escape(meter_words(self._last))}")
