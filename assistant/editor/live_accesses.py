"""What an edit that is not saved yet does to the memory accesses of its kernel, by the text alone: said on the edited line. Pure.

Example::

    live = LiveAccesses(parsed, trees)            # the text as it was opened or saved
    live.lines(parsed_now, trees_now, ())         # (LiveLine(line=9, kernel='k(float *)', text='≈ load: was 4, now 32 sectors/request'),)
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property

from assistant.cuda.linemap import LineMap
from assistant.cuda.syntax import SyntaxTree
from assistant.editor.static_launches import TextLaunch, blocks_of, launches_in
from assistant.editor.view import LiveLine
from assistant.model.launch import Dim3
from assistant.model.source import Kernel, ParsedSource
from assistant.plan.expert.analysis.warp_requests import WarpRequest, requests_of

__all__ = ["LIVE_ORIGIN", "LiveAccesses"]

LIVE_ORIGIN = "predicted from the text alone, for a warp inside the grid and rows that begin on a sector; nothing was run"

_Access = tuple[str, bool]
"""Pointer, and whether it is stored through."""


class LiveAccesses:
    """Holds a text as it was opened or saved, and compares what is typed since with it."""

    def __init__(self, parsed: ParsedSource, trees: Sequence[SyntaxTree]) -> None:
        self._saved = self._now = _Text(parsed, trees, {})

    def saved(self) -> None:
        """What was typed so far is what later edits are compared with."""
        self._saved = self._now

    def lines(self, parsed: ParsedSource, trees: Sequence[SyntaxTree], seen: Mapping[str, Sequence[Dim3]]) -> tuple[LiveLine, ...]:
        """One for each edited line that there is something to say of; ``seen``: blocks of launches that were counted, by kernel's key."""
        if parsed.source.text == self._saved.text:
            self._now = self._saved
            return ()
        if len(trees) != 1:
            return ()
        self._saved.seen = seen
        now = self._now = _Text(parsed, trees, seen)
        edited = _edited_lines(self._saved.text, now.text)
        found = [line for kernel in parsed.kernels for line in self._of_kernel(now, kernel, edited)]
        return tuple(sorted(found, key=lambda item: item.line))

    def _of_kernel(self, now: _Text, kernel: Kernel, edited: frozenset[int]) -> Iterator[LiveLine]:
        last = now.last_line(kernel)
        inside = sorted(line for line in edited if kernel.line <= line <= last)
        earlier = next((k for k in self._saved.parsed.kernels if k.name == kernel.name), None)
        places = inside or sorted(edited & now.launch_lines(kernel))
        if not places or (not inside and earlier is not None and now.blocks(kernel) == self._saved.blocks(earlier)):
            return
        requests = now.requests(kernel)
        before = {} if earlier is None else _worst(self._saved.requests(earlier))
        after = _worst(requests)
        worst_at = {line: _worst(r for r in requests if r.line == line) for line in places}
        for line, here in worst_at.items():
            if here:
                yield LiveLine(line, kernel.key, _said(max(here.values(), key=lambda request: _weight(request, before)), before))
        elsewhere = [
            r for access, r in after.items() if r.line not in worst_at and access in before and before[access].sectors != r.sectors
        ]
        quiet = next((line for line, here in worst_at.items() if not here), None)
        if elsewhere and quiet is not None:
            worst = max(elsewhere, key=_excess)
            was = before[worst.pointer, worst.is_store].sectors
            yield LiveLine(quiet, kernel.key, f"≈ line {worst.line}: was {was}, now {worst.sectors} sectors/request")


class _Text:
    """A text with what it decides of accesses, worked out when it is asked for."""

    def __init__(self, parsed: ParsedSource, trees: Sequence[SyntaxTree], seen: Mapping[str, Sequence[Dim3]]) -> None:
        self.parsed = parsed
        self.text = parsed.source.text
        self.seen = seen
        self._trees = trees
        self._requests: dict[tuple[str, tuple[Dim3, ...]], tuple[WarpRequest, ...]] = {}

    @cached_property
    def _launches(self) -> tuple[TextLaunch, ...]:
        return launches_in(self.parsed, self._trees)

    def blocks(self, kernel: Kernel) -> tuple[Dim3, ...]:
        """Of its launches in the text, else of those that were counted."""
        return blocks_of(kernel, self._launches) or tuple(self.seen.get(kernel.key, ()))

    def launch_lines(self, kernel: Kernel) -> frozenset[int]:
        return frozenset(launch.site.line for launch in self._launches if launch.site.kernel_name.split("::")[-1] == kernel.name)

    def last_line(self, kernel: Kernel) -> int:
        return self.text.count("\n", 0, kernel.span.end) + 1

    def requests(self, kernel: Kernel) -> tuple[WarpRequest, ...]:
        asked = (kernel.key, self.blocks(kernel))
        if asked not in self._requests:
            self._requests[asked] = requests_of(self.parsed, self._trees[0], kernel, asked[1])
        return self._requests[asked]


def _edited_lines(before: str, after: str) -> frozenset[int]:
    """1-based lines of ``after`` that ``before`` has not."""
    lines = LineMap(after, before)
    return frozenset(line for line in range(1, after.count("\n") + 2) if lines.line(line) is None)


def _worst(requests: Iterator[WarpRequest] | Sequence[WarpRequest]) -> dict[_Access, WarpRequest]:
    """The costliest request through each pointer, loads and stores apart."""
    found: dict[_Access, WarpRequest] = {}
    for request in requests:
        known = found.get((request.pointer, request.is_store))
        if known is None or request.sectors > known.sectors:
            found[request.pointer, request.is_store] = request
    return found


def _excess(request: WarpRequest) -> tuple[int, int]:
    return request.sectors - (request.sectors if request.ideal is None else request.ideal), request.sectors


def _weight(request: WarpRequest, before: Mapping[_Access, WarpRequest]) -> tuple[bool, tuple[int, int], bool]:
    """What has changed goes before what is costly, and loads before stores."""
    earlier = before.get((request.pointer, request.is_store))
    return earlier is not None and earlier.sectors != request.sectors, _excess(request), not request.is_store


def _said(request: WarpRequest, before: Mapping[_Access, WarpRequest]) -> str:
    """``≈ load 32 sectors/request, 4 would do``; where it was another number, ``≈ load: was 4, now 32 sectors/request``.

    By the name of its pointer where it does not speak for the whole line.
    """
    what = request.pointer if not request.is_whole_line else "store" if request.is_store else "load"
    earlier = before.get((request.pointer, request.is_store))
    unit = "sector" if request.sectors == 1 else "sectors"
    if earlier is not None and earlier.sectors != request.sectors:
        return f"≈ {what}: was {earlier.sectors}, now {request.sectors} {unit}/request"
    would = "" if request.ideal is None or request.ideal == request.sectors else f", {request.ideal} would do"
    return f"≈ {what} {request.sectors} {unit}/request{would}"
