"""What each launch, copy and fill of a program has to wait for: streams, events, waits of the host, default streams, graphs.

The rules are those of the CUDA C++ Programming Guide ("Streams", "Events", "Implicit Synchronization", "Graphs") and of the CUDA Runtime
API ("Stream synchronization behavior", "API synchronization behavior"). Example::

    needs_in_order(recording)     # ((), (0,), (0,), (1, 2)): a fork behind step 0, joined by step 3
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from assistant.model.recording import HOST_COPIES, WORK_KINDS, DeviceStep, Recording

__all__ = ["needs_in_order"]

_LEGACY, _NON_BLOCKING = "legacy", "non_blocking"
_Places = frozenset[int]


def needs_in_order(recording: Recording) -> tuple[tuple[int, ...], ...] | None:
    """For each step of work, by its place among them, earlier ones that must have ended; what follows from others is left out.

    None where the recorder does not see events and waits, or not every stream.
    """
    steps = recording.steps
    if steps is None or not recording.are_waits_seen or any(step.stream is None for step in steps if step.kind in WORK_KINDS):
        return None
    order = _Order(recording.stream_kinds)
    for step in steps:
        order.take(step)
    return tuple(order.needs)


@dataclass
class _Graph:
    """One run of a graph."""

    stream: int | None
    behind: _Places
    """What the graph as a whole waits for."""
    ends: list[_Places] = field(default_factory=list[_Places])
    """By node: what has to end for it to have ended."""


class _Order:
    def __init__(self, kinds: tuple[str, ...]) -> None:
        self.needs: list[tuple[int, ...]] = []
        self._kinds = kinds
        self._tails: dict[int, _Places] = {}
        """By stream: what the next step of it waits for."""
        self._records: dict[int, _Places] = {}
        self._host: _Places = frozenset()
        """What the host has waited for."""
        self._graphs: list[_Graph] = []
        self._known: list[int] = []
        """By step: all earlier ones that end before it, and itself, as a bit each."""

    def take(self, step: DeviceStep) -> None:
        match step.kind:
            case "record" if step.event is not None and step.stream is not None:
                self._records[step.event] = self._behind(step.stream)
            case "await" if step.event is not None and step.stream is not None:
                self._tails[step.stream] = self._tail(step.stream) | self._records.get(step.event, frozenset())
            case "wait" | "free":
                self._wait(step)
            case "graph":
                behind = self._graphs[-1].ends[-1] if self._graphs else self._behind(step.stream or 0)
                self._graphs.append(_Graph(step.stream, behind))
            case "graph_end" if self._graphs:
                self._end_graph(self._graphs.pop())
            case "node" if self._graphs:
                graph = self._graphs[-1]
                ends = [graph.ends[index] for index in step.needs if index < len(graph.ends)]
                graph.ends.append(_all(ends) if ends else graph.behind)
            case kind if kind in WORK_KINDS:
                self._work(step)
            case _:
                pass

    def _work(self, step: DeviceStep) -> None:
        place, stream = len(self.needs), step.stream
        assert stream is not None
        is_node = bool(self._graphs) and bool(self._graphs[-1].ends)
        behind = self._graphs[-1].ends[-1] if is_node else self._behind(stream)
        needed = self._least(behind | self._host)
        self.needs.append(tuple(sorted(needed)))
        known = 1 << place
        for other in needed:
            known |= self._known[other]
        self._known.append(known)
        if is_node:
            self._graphs[-1].ends[-1] = frozenset({place})
        else:
            self._tails[stream] = frozenset({place})
        if step.is_waited or (step.kind in HOST_COPIES and step.is_pinned is False):  # what is staged keeps the host as long
            self._host = frozenset({place})

    def _wait(self, step: DeviceStep) -> None:
        """The host waits; freeing memory waits for all."""
        if step.event is not None:
            waited = self._records.get(step.event, frozenset())
        elif step.stream is not None and step.kind == "wait":
            waited = self._behind(step.stream)
        else:
            waited = _all(self._tails.values())
        self._host = self._least(self._host | waited)

    def _end_graph(self, graph: _Graph) -> None:
        ended = _all(graph.ends) or graph.behind
        if self._graphs and self._graphs[-1].ends:
            self._graphs[-1].ends[-1] = self._least(ended)
        else:
            self._tails[graph.stream or 0] = self._least(ended)

    def _behind(self, stream: int) -> _Places:
        """What is issued into the stream now waits for: the default stream for blocking ones, and these for it."""
        if self._kind(stream) == _LEGACY:
            return _all(self._tail(other) for other in self._tails if self._kind(other) != _NON_BLOCKING)
        if self._kind(stream) == _NON_BLOCKING:
            return self._tail(stream)
        return _all([self._tail(stream), *(self._tail(other) for other in self._tails if self._kind(other) == _LEGACY)])

    def _tail(self, stream: int) -> _Places:
        return self._tails.get(stream, frozenset())

    def _kind(self, stream: int) -> str:
        return self._kinds[stream] if stream < len(self._kinds) else "blocking"

    def _least(self, places: _Places) -> _Places:
        """Without those that end before another one of them does."""
        if len(places) < 2:
            return places
        return frozenset(place for place in places if not any(self._known[other] >> place & 1 for other in places if other != place))


def _all(sets: Iterable[_Places]) -> _Places:
    return frozenset[int]().union(*sets)
