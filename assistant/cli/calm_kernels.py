"""What ``inspect`` shows on a terminal: a few lines for each kernel, one row for each of many."""

from __future__ import annotations

from pathlib import PurePath

from rich.console import Console
from rich.markup import escape

from assistant.cli.calm_words import rows, short_names, shortened
from assistant.cli.layout import Page
from assistant.model import event_parts, events

__all__ = ["CalmKernels"]

_MOST_IN_FULL = 5


class CalmKernels:
    """Gathers the kernels of a file, and writes them at the end."""

    def __init__(self, console: Console) -> None:
        self._console = console
        self._page = Page(console)
        self._found: list[events.KernelFound] = []

    def found(self, event: events.KernelFound) -> None:
        self._found.append(event)

    def end(self) -> None:
        if len(self._found) <= _MOST_IN_FULL:
            for event in self._found:
                self._in_full(event)
            return
        names = short_names(event.kernel for event in self._found)
        self._page.gap()
        heads = ("kernel", "at", "launched at", "registers", "warps")
        rows(self._console, heads, [(names[event.kernel], *_row(event)) for event in self._found], right=("registers", "warps"))

    def _in_full(self, event: events.KernelFound) -> None:
        parameters = ", ".join(f"{p.type}{' __restrict__' if p.is_restrict else ''} {p.name}" for p in event.parameters)
        template = f"<{', '.join(event.template_parameters)}> " if event.template_parameters else ""
        place = _place(event.line, event.file)
        self._page.gap()
        self._page.put(f"[bold]{escape(template + shortened(event.kernel))}[/]({escape(parameters)})  [dim]{escape(place)}[/]", hang=4)
        for launch in event.launches:
            loop = ", in a loop" if launch.is_in_loop else ""
            shared = "" if launch.shared is None else f", shared {launch.shared}"
            text = f"launched at {_place(launch.line, launch.file)}{loop}: grid {launch.grid}, block {launch.block}{shared}"
            self._page.put(escape(text), indent=2, hang=4)
        for found in event.resources:
            self._page.put(escape(_resources(found)), indent=2, hang=4)


def _row(event: events.KernelFound) -> tuple[str, ...]:
    """Of several compiled instances the one with most registers."""
    launched = ", ".join(_place(launch.line, launch.file) for launch in event.launches[:2]) or "nowhere"
    found = max(event.resources, key=lambda each: each.registers_per_thread, default=None)
    if found is None:
        return _place(event.line, event.file), launched, "", ""
    spilled = f", {found.spill_bytes} bytes spilled" if found.spill_bytes else ""
    most = max(found.occupancy, key=lambda each: each.active_warps_per_sm, default=None)
    warps = "" if most is None else f"{most.active_warps_per_sm} of {most.max_warps_per_sm}"
    return _place(event.line, event.file), launched, f"{found.registers_per_thread}{spilled}", warps


def _place(line: int, file: str | None) -> str:
    return f"line {line}" if file is None else f"{PurePath(file).name}:{line}"


def _resources(found: event_parts.ResourcesFound) -> str:
    """``10 registers, nothing spilled, 64 of 64 warps at 128 to 1,024 threads (ptxas, sm_90)``."""
    spilled = f"{found.spill_bytes} bytes spilled" if found.spill_bytes else "nothing spilled"
    shared = f", {found.static_shared_bytes:,} bytes of shared memory" if found.static_shared_bytes else ""
    return f"{found.registers_per_thread} registers, {spilled}{shared}{_occupancy(found)} (ptxas, {found.architecture})"


def _occupancy(found: event_parts.ResourcesFound) -> str:
    """Of all block sizes where they agree, else the best."""
    if not found.occupancy:
        return ""
    best = max(found.occupancy, key=lambda each: each.active_warps_per_sm)
    if any(each.active_warps_per_sm != best.active_warps_per_sm for each in found.occupancy):
        return f", at most {best.active_warps_per_sm} of {best.max_warps_per_sm} warps, at {best.block_threads} threads"
    limit = "" if best.limiter == "none" else f" ({best.limiter})"
    threads = f"{found.occupancy[0].block_threads} to {found.occupancy[-1].block_threads:,}"
    return f", {best.active_warps_per_sm} of {best.max_warps_per_sm} warps at {threads} threads{limit}"
