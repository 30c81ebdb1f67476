"""What a PyTorch task consists of, as a person reads it in a terminal: its functions, then what one kernel could do together.

Example::

    OperatorsScreen(console).show(event)
"""

from __future__ import annotations

from rich.console import Console
from rich.markup import escape

from assistant.cli.layout import Page
from assistant.measure.calibration import LAUNCH_S
from assistant.model import events
from assistant.model.code_events import OperatorFunction, OperatorGroup, OperatorTime
from assistant.model.comparison import format_ratio
from assistant.model.event_parts import SpeedReport
from assistant.profile.quantity import counted_noun, first_of, format_quantity

__all__ = ["OperatorsScreen"]

_MOST_FUNCTIONS = 12
_MOST_GROUPS = 4
_MOST_KERNELS = 6
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

    def show_times(self, event: events.OperatorTimed) -> None:
        """Every way to compute it in a line; ratios are those of the candidate over it."""
        at = "".join(f", {name} = {value}" for name, value in event.sizes.items())
        bound = _bound(event.bound_s)
        self._page.put(f"[bold]{escape(event.name)}[/] on {escape(event.device.name)}{escape(at)}{bound}", hang=2)
        widest = max(len(time.name) for time in event.times)
        ratios = {ratio.baseline: ratio for ratio in event.ratios}
        for time in event.times:
            call, device = format_quantity(time.call_s, "s"), format_quantity(time.device_s, "s")
            ratio = ratios.get(time.name)
            words = "" if ratio is None else f"  candidate {_speed(ratio.call)} a call, {_speed(ratio.device)} on the device"
            self._console.print(
                f"  {escape(time.name):<{widest}}  {call:>8} a call  {device:>8} on the device{words}", highlight=False, soft_wrap=True
            )
        for ratio in event.graphed:
            self._page.put(f"in a CUDA graph: {_speed(ratio.call)} a call over {escape(ratio.baseline)}", indent=2)
        for time in event.times:
            self._show_kernels(time)
        for left in event.left_out:
            self._page.put(f"[dim]not timed: {escape(left)}[/]", indent=2)
        self._page.put(f"[dim]{escape(event.method)}[/]", indent=2)

    def _show_kernels(self, time: OperatorTime) -> None:
        """What one call runs on the GPU."""
        if not time.kernels:
            return
        self._console.print(f"  kernels of a call, {escape(time.name)}", highlight=False)
        total_s = sum(kernel.time_s for kernel in time.kernels) or 1.0
        for kernel in time.kernels[:_MOST_KERNELS]:
            share, took = kernel.time_s / total_s, format_quantity(kernel.time_s, "s")
            line = f"  {share:4.0%}  {took:>8}  {kernel.launch_count:>4} x  {escape(kernel.name)}"
            self._console.print(line, highlight=False, soft_wrap=True)
        left_out = len(time.kernels) - _MOST_KERNELS
        if left_out > 0:
            self._console.print(f"  [dim]{counted_noun(left_out, 'further kernel')} not shown[/]", highlight=False)

    def show_written(self, event: events.KernelWritten) -> None:
        self._page.put(f"the kernel is in {escape(event.file)}", hang=2)


def _bound(bound_s: float | None) -> str:
    if bound_s is None:
        return ""
    if bound_s < LAUNCH_S:
        return "; its bytes and operations take less than a launch does"
    return f"; at least {format_quantity(bound_s, 's')} by bytes and operations"


def _speed(speed: SpeedReport) -> str:
    interval = "" if speed.low is None or speed.high is None else f" ({format_ratio(speed.low)} to {format_ratio(speed.high)})"
    return f"{speed.outcome} {format_ratio(speed.ratio)}x{interval}"


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
