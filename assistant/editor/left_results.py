"""Results of a text that an accepted edit left: its lines show none of them until it is back, or was profiled anew. Pure."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from assistant.cuda.same_code import is_same_code
from assistant.editor.analysis import Analysis
from assistant.model import events
from assistant.model.source import ParsedSource

__all__ = ["LeftResults", "kernels_changed"]


class LeftResults:
    """What an open text no longer shows of an answer."""

    def __init__(self) -> None:
        self._left: set[tuple[str, str]] = set()
        """(text that was looked at, key of a kernel that an accepted edit changed since)."""

    def leave(self, analysis: Analysis | None, kernels: Iterable[str]) -> None:
        if analysis is not None:
            self._left |= {(analysis.text, kernel) for kernel in kernels}

    def shown(self, analysis: Analysis, text: str) -> Analysis:
        """The answer as ``text`` shows it: without lines and findings of kernels that were left; all once its own code is back."""
        left = {kernel for of, kernel in self._left if of == analysis.text}
        if not left or is_same_code(analysis.text, text):
            return analysis
        return replace(analysis, events=tuple(_without_lines(event, left) for event in analysis.events))


def kernels_changed(parsed: ParsedSource, before: str) -> frozenset[str]:
    """Keys of the kernels whose own text is not in ``before``."""
    text = parsed.source.text
    return frozenset(kernel.key for kernel in parsed.kernels if text[kernel.span.start : kernel.span.end] not in before)


def _without_lines(event: events.Event, left: set[str]) -> events.Event:
    if isinstance(event, events.Profile) and event.kernel in left:
        return replace(event, lines=(), findings=(), stalls=())
    return replace(event, lines=()) if isinstance(event, events.MachineCode) and event.kernel in left else event
