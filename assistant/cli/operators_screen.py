"""What a PyTorch task consists of, as a person reads it in a terminal: its functions, then what one kernel could do together.

Example::

    OperatorsScreen(console).show(event)
"""

from __future__ import annotations

from rich.console import Console
from rich.markup import escape

from assistant.cli.layout import Page
from assistant.model import events
from assistant.model.code_events import OperatorFunction, OperatorGroup
from assistant.profile.quantity import counted_noun, first_of, format_quantity

__all__ = ["OperatorsScreen"]

_MOST_FUNCTIONS = 12
_MOST_GROUPS = 4
_MOST_NAMES = 6


class OperatorsScreen:
    """Writes to a rich console."""

    def __init__(self, console: Console) -> None:
        self._console = console
        self._page = Page(console)

    def show(self, event: events.OperatorsFound) -> None:
        calls = counted_noun(sum(function.call_count for function in event.functions), "function call")
        self._page.put(
            f"[bold]{escape(event.name)}[/]: {calls} of PyTorch; at least {format_quantity(event.separate_time_s, 's')} one after another, "
            f"{format_quantity(event.least_time_s, 's')} for inputs, weights and results alone on {escape(event.target)}",
            hang=2,
        )
        self._page.put(f"[dim]{escape(event.method)}[/]", indent=2)
        for function in event.functions[:_MOST_FUNCTIONS]:
            self._console.print(f"  {_function(function)}", highlight=False, soft_wrap=True)
        left_out = len(event.functions) - _MOST_FUNCTIONS
        if left_out > 0:
            self._console.print(f"  [dim]{counted_noun(left_out, 'further function')} not shown[/]", highlight=False)
        for group in event.groups[:_MOST_GROUPS]:
            self._page.put(_group(group), hang=2)

    def show_written(self, event: events.KernelWritten) -> None:
        self._page.put(f"the kernel is in {escape(event.file)}", hang=2)


def _function(function: OperatorFunction) -> str:
    place = "" if function.line is None else f" [dim]line {function.line}[/]"
    moved, operations = format_quantity(function.moved_bytes, "B"), format_quantity(function.operation_count, "operations")
    time = format_quantity(function.least_time_s, "s")
    return f"{function.share_ratio:4.0%}  {time:>8}  {function.call_count:>4} x  {escape(function.name)}{place}, {moved}, {operations}"


def _group(group: OperatorGroup) -> str:
    lines = f" (lines {', '.join(map(str, group.lines))})" if len(group.lines) > 1 else f" (line {group.lines[0]})" if group.lines else ""
    ratio = group.separate_bytes / group.moved_bytes if group.moved_bytes else 0.0
    fewer = f", {ratio:.1f} times less" if ratio else ""
    return (
        f"[bold]worth one kernel[/]{lines}: {escape(first_of(group.names, _MOST_NAMES))}; together they move "
        f"{format_quantity(group.moved_bytes, 'B')} instead of {format_quantity(group.separate_bytes, 'B')}{fewer}"
    )
