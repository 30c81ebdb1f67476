"""A program's timeline as a person reads it in a terminal: the leading sentence, a short table, a bar for each stream.

Example::

    TimelineScreen(console).show(event)
"""

from __future__ import annotations

from rich.console import Console
from rich.markup import escape

from assistant.cli.layout import Page
from assistant.model import events
from assistant.profile.quantity import counted_noun, format_quantity
from assistant.profile.timeline_words import BAR_LEGEND, program_span, stream_bar, stream_name, timeline_lines

__all__ = ["TimelineScreen"]

_MOST_LINES = 8
_MOST_STREAMS = 8
_BAR_WIDTH = 48
_LEAST_TIME_S = 1e-9
"""Less is less than a clock cycle."""
_LEAST_SHOWN = 0.005


class TimelineScreen:
    """Writes to a rich console."""

    def __init__(self, console: Console) -> None:
        self._console = console
        self._page = Page(console)

    def show(self, event: events.TimelineFound) -> None:
        timeline = event.timeline
        self._page.gap()
        self._page.put(f"[bold]{escape(event.headline)}[/]", hang=2)
        word = "predicted" if timeline.is_predicted else "measured"
        what = "GPU timeline" if event.program is None else f"GPU timeline of {event.program}"
        self._page.put(f"{escape(what)}, {word}: {program_span(timeline)} [dim]({escape(event.method)})[/]", hang=2)
        for line in timeline_lines(timeline, _MOST_LINES):
            share = f"{line.ratio:4.0%}" if line.ratio >= _LEAST_SHOWN else " <1%"
            note = f" [dim]({escape(line.note)})[/]" if line.note else ""
            text = f"{share}  {_time(line.time_s):>8}  {line.count:>7,} x  {escape(line.what)}{note}"
            self._console.print(f"  {text}", highlight=False, soft_wrap=True)
        self._streams(event)
        for note in timeline.notes:
            self._page.put(f"[dim]{escape(note)}[/]", indent=2, hang=4)

    def _streams(self, event: events.TimelineFound) -> None:
        timeline = event.timeline
        shown = timeline.streams[:_MOST_STREAMS]
        width = max((len(stream_name(stream)) for stream in shown), default=0)
        for stream in shown:
            bar, name = stream_bar(timeline, stream, _BAR_WIDTH), stream_name(stream).ljust(width)
            self._console.print(f"  {name}  {bar}  {stream.busy_ratio:4.0%} busy", highlight=False, soft_wrap=True)
        left_out = len(timeline.streams) - len(shown) + timeline.other_stream_count
        if left_out:
            self._console.print(f"  [dim]{counted_noun(left_out, 'further stream')} not shown[/]", highlight=False)
        if shown:
            self._console.print(f"  [dim]{BAR_LEGEND}[/]", highlight=False)


def _time(time_s: float) -> str:
    """A fill of a few bytes is predicted by its bandwidth alone: its start counts among the gaps."""
    return format_quantity(time_s, "s") if time_s >= _LEAST_TIME_S else f"<{format_quantity(_LEAST_TIME_S, 's')}"
