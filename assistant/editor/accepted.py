"""Which compiler messages still apply after a later text was compiled, or its device code was accepted. Pure."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from assistant.cuda.functions import functions
from assistant.cuda.syntax import SyntaxTree
from assistant.editor.analysis import Analysis
from assistant.model import events

__all__ = ["is_acceptance", "without_device_diagnostics", "without_diagnostics"]


def is_acceptance(event: events.Event) -> bool:
    """Whether it reports that the quick compiler accepts the device code without a message."""
    return isinstance(event, events.Diagnostics) and not event.diagnostics


def without_device_diagnostics(path: Path, analysis: Analysis) -> Analysis:
    """The answer without compiler messages on the file's device code; those on host functions, which only nvcc reads, stay."""
    if not any(analysis.all(events.Diagnostics)):
        return analysis
    lines = _host_lines(analysis.text)
    return replace(analysis, events=tuple(_kept(event, path, lines) for event in analysis.events))


def without_diagnostics(analysis: Analysis) -> Analysis:
    """The answer without compiler messages: a later compile replaces them."""
    return replace(analysis, events=tuple(event for event in analysis.events if not isinstance(event, events.Diagnostics)))


def _kept(event: events.Event, path: Path, lines: frozenset[int]) -> events.Event:
    if not isinstance(event, events.Diagnostics):
        return event
    return replace(event, diagnostics=tuple(d for d in event.diagnostics if d.line in lines or Path(d.file) != path))


def _host_lines(text: str) -> frozenset[int]:
    tree = SyntaxTree(text)
    hosts = [function for function in functions(tree) if not (function.is_kernel or function.is_device)]
    return frozenset(line for host in hosts for line in range(tree.line(host.node), host.node.end_point[0] + 2))
