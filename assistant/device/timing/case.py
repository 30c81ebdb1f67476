"""Both versions on one case: which method fits, slots of calls, blocks of slots, timed calls whose results are checked.

Below 50 µs a slot is one graph of many calls (on an idle stream or launched one by one such kernels read up to 37 % wrong, measured);
from there on each call stands between two events. L2 is emptied before each graph and each single call, and where a kernel reads what
it writes, its buffers get their first contents again: outside the timed span. The calls of a graph go through the copies of the buffers
in turn: where these are smaller than L2 together, all but the first of them are warm, which the timing says. Example::

    timing = CaseTimer(kit, copies, options, tools).run("n=4096", 1.0)
"""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Sequence

from assistant.device.driver import GraphHandle
from assistant.device.timing.blocks import TimedBlocks, take_blocks
from assistant.device.timing.checker import ResultChecker
from assistant.device.timing.copies import VERSIONS, Copies, Left
from assistant.device.timing.gate import Action, GatedQueue, Span
from assistant.device.timing.kit import COLD_L2_FACTOR, Kit
from assistant.model.timing import CaseTiming, TimingOptions
from assistant.record import Record

__all__ = ["CaseTimer", "Tools"]

GRAPH_BELOW_S = 50e-6
SLOT_S = 0.5e-3
"""Least time of a graph, and of a slot of single calls (N·t ≥ 0.5 ms)."""
_LONGEST_SLOT_S = 20e-3
"""Where the slower version makes slots longer than this, they hold fewer calls."""
_MOST_CALLS = 1000
_MOST_RESTORED_CALLS = 256
"""Calls of a graph, each on buffers of its own: memory, and the copies that restore them before each slot."""
_MOST_SINGLE_CALLS = 10
_QUEUED_COUNT = 400
"""Commands queued behind a gate: a stream takes about a thousand before the host has to wait for room, which would never come."""
_PILOT_CALLS = 5
_LONG_S = 5e-3
"""A call that takes longer is tried twice in all: its time decides nothing but how many calls fit into a slot."""
_EMPTY_SLOTS = 15
_LEAST_CALL_S = 0.3e-6
"""A call that takes no time is counted as this when slots are sized."""
_MOVED_RATIO = 0.05
_FELT_RATIO = 1e-3
"""An empty kernel whose time moved by more than the first share of itself, and the second of a call's, is spoken of."""
_CHECKS = 2
"""Slots of each version, at random among the first, whose results are compared with an untimed call's; so are those of one behind all."""


class Tools(Record):
    """What the outside lends."""

    clock: Callable[[], float]
    """Monotonic seconds."""
    is_held_down: Callable[[], bool]
    """Whether the GPU's clocks are held down right now for heat or power supply."""


class _Plan(Record):
    """How a slot is timed."""

    method: str
    calls: int
    empty_s: float
    """A call of empty kernels."""
    is_too_short: bool = False
    """For the method: a graph would show more, but there are none."""


class CaseTimer:
    """Times one case; make one for each."""

    def __init__(self, kit: Kit, copies: Copies, options: TimingOptions, tools: Tools) -> None:
        self._kit = kit
        self._driver = kit.driver
        self._copies = copies
        self._options = options
        self._tools = tools
        self._queue = GatedQueue(kit)
        self._graphs: dict[str, GraphHandle] = {}
        self._turn = 0
        self._rng = random.Random(options.seed ^ 0x5EED)  # noqa: S311 which calls are checked
        self._checker = ResultChecker(kit, copies)

    def run(self, shape: str, weight: float) -> CaseTiming:
        start_s = self._tools.clock()
        self._driver.reset_persisting_l2()  # before anything is timed: from the first one on, every launch takes longer to start
        try:
            for version in self._rng.sample(VERSIONS, len(VERSIONS)):
                self._checker.expect(version)
            plan = self._planned()
            self._checker.schedule(self._rng, _CHECKS, self._options.least_block_count * 2)
            taken = take_blocks(lambda version: self._slot(version, plan), self._options, self._tools.clock, self._tools.is_held_down)
            for version in VERSIONS:
                self._slot(version, plan, is_last=True)
            notes = (*self._notes(plan), *self._disturbances(plan, taken))
        finally:
            self._forget()
        return CaseTiming(
            shape=shape,
            weight=weight,
            blocks=taken.blocks,
            method=plan.method,
            calls_per_slot=plan.calls,
            launches_per_call=self._most_launches,
            empty_s=plan.empty_s,
            copy_count=self._copies.count,
            is_restored=self._copies.is_restored,
            stop=taken.stop,
            seconds=self._tools.clock() - start_s,
            late_block_count=taken.late_count,
            hot_block_count=taken.hot_count,
            checked_count=self._checker.checked_count,
            notes=notes,
            unchecked_versions=self._checker.unchecked_versions,
            cold_call_count=self._cold_calls(plan),
        )

    @property
    def results(self) -> list[tuple[str, Left]]:
        """(version, what a timed call of it left) where that differs from what an untimed one leaves; after `run`."""
        return self._checker.results

    def _planned(self) -> _Plan:
        """Graph or single calls, and how many, from a few single calls of both versions."""
        pilots = {version: self._pilot(version) for version in VERSIONS}
        least_s, most_s = min(pilots.values()), max(pilots.values())
        if least_s >= GRAPH_BELOW_S or not self._driver.has_graphs:
            calls = _calls(least_s, most_s, min(_MOST_SINGLE_CALLS, self._most_queued_calls()))
            return _Plan("events", calls, self._empty_events(), is_too_short=least_s < GRAPH_BELOW_S)
        if self._copies.is_restored:
            self._copies.grow(_calls(least_s, most_s, _MOST_RESTORED_CALLS))
        calls = _calls(least_s, most_s, self._most_graph_calls())
        for version in VERSIONS:
            self._graphs[version] = self._driver.create_graph(
                [launch for call in range(calls) for launch in self._copies.launches(version, call % self._copies.count)]
            )
        return _Plan("graph", calls, self._empty_graph(calls))

    def _most_graph_calls(self) -> int:
        """A restored case needs a copy of its own for each call: nothing can be restored between the nodes of a graph."""
        most = max(1, _MOST_CALLS // self._most_launches)
        return min(most, self._copies.count) if self._copies.is_restored else most

    def _most_queued_calls(self) -> int:
        commands = 3 + self._most_launches + (len(self._copies.changed("A", 0)) if self._copies.is_restored else 0)
        return max(1, _QUEUED_COUNT // commands)

    @property
    def _most_launches(self) -> int:
        return max(len(self._copies.launches(version, 0)) for version in VERSIONS)

    @property
    def _subtracted_launches(self) -> int:
        """Launches whose start is subtracted from a call: as many as both versions start; those that only one starts count."""
        return min(len(self._copies.launches(version, 0)) for version in VERSIONS)

    def _slot(self, version: str, plan: _Plan, is_last: bool = False) -> float | None:
        """Seconds a call, without the empty kernel's share; None when the queue ran while it was filled.

        ``is_last``: behind all blocks and no part of them, for what calls leave once a version has seen how often it is called.
        """
        self._driver.reset_persisting_l2()
        is_checked = self._checker.is_next(version, is_last)
        copies = self._slot_copies(plan)
        if is_checked or (self._copies.is_restored and plan.method == "graph"):
            for copy in dict.fromkeys(copies):
                self._copies.restore(version, copy)
            self._driver.synchronize()
        if plan.method == "graph":
            spans = (Span(work=lambda: self._driver.launch_graph(self._graphs[version]), before=self._emptied),)
        else:
            spans = tuple(Span(work=self._call(version, copy), before=self._ready(version, copy)) for copy in copies)
        times = self._queue.times(spans)
        if is_checked and times is not None:
            self._checker.check(version, self._rng.choice(copies))
        return None if times is None else sum(times) / plan.calls - plan.empty_s

    def _slot_copies(self, plan: _Plan) -> list[int]:
        """All four slots of a block use the same sets of buffers, so that both versions see the same values."""
        if plan.method == "graph":
            return [call % self._copies.count for call in range(plan.calls)]
        first = (self._turn // 4) * plan.calls
        self._turn += 1
        return [(first + call) % self._copies.count for call in range(plan.calls)]

    def _call(self, version: str, copy: int) -> Action:
        launches = self._copies.launches(version, copy)

        def start() -> None:
            for launch in launches:
                self._driver.launch(launch)

        return start

    def _ready(self, version: str, copy: int) -> Action:
        if not self._copies.is_restored:
            return self._emptied

        def prepare() -> None:
            self._copies.restore(version, copy)
            self._emptied()

        return prepare

    def _emptied(self) -> None:
        self._driver.launch(self._kit.sweep)

    def _pilot(self, version: str) -> float:
        """About how long a call takes."""
        spans = tuple(
            Span(work=self._call(version, 0), before=self._ready(version, 0)) for _ in range(min(_PILOT_CALLS, self._most_queued_calls()))
        )
        first = self._queue.times(spans[:1])
        if first and first[0] > _LONG_S:
            spans = spans[:1]
        times = self._queue.times(spans) or self._queue.times(spans) or (GRAPH_BELOW_S,)
        return max(_median(times) - self._empty_events(), _LEAST_CALL_S)

    def _empty_events(self) -> float:
        def start() -> None:
            for _ in range(self._subtracted_launches):
                self._driver.launch(self._kit.empty)

        count = max(1, min(_EMPTY_SLOTS, self._most_queued_calls()))
        times = self._queue.times(tuple(Span(work=start, before=self._emptied) for _ in range(count)))
        return _median(times) if times else 0.0

    def _empty_graph(self, calls: int) -> float:
        graph = self._driver.create_graph([self._kit.empty] * (calls * self._subtracted_launches))
        try:
            span = Span(work=lambda: self._driver.launch_graph(graph), before=self._emptied)
            self._queue.times((span,))
            found = [self._queue.times((span,)) for _ in range(_EMPTY_SLOTS)]
        finally:
            self._driver.destroy_graph(graph)
        times = [times[0] for times in found if times]
        return _median(times) / calls if times else 0.0

    def _notes(self, plan: _Plan) -> tuple[str, ...]:
        notes = list[str]()
        if plan.is_too_short:
            notes.append("the driver's binding has no graphs, so that kernels below 50 µs are timed less well")
        if plan.empty_s == 0.0:
            notes.append("the empty kernel could not be timed, so that nothing is subtracted")
        return tuple(notes)

    def _disturbances(self, plan: _Plan, taken: TimedBlocks) -> list[str]:
        """What was not as it was while the blocks were taken."""
        notes = ["heat or the power supply held the GPU's clocks down while it was timed"] if taken.is_hot else []
        after_s = self._empty_graph(plan.calls) if plan.method == "graph" else self._empty_events()
        moved_s = abs(after_s - plan.empty_s)
        call_s = min((time_s for block in taken.blocks for time_s in block.times_s), default=0.0)
        if plan.empty_s and after_s and moved_s > _MOVED_RATIO * plan.empty_s and moved_s > _FELT_RATIO * call_s:
            notes.append(f"the empty kernel that is subtracted took {plan.empty_s * 1e6:.2f} µs before and {after_s * 1e6:.2f} µs after")
        return notes

    def _cold_calls(self, plan: _Plan) -> int:
        copies = self._copies
        is_rotated = copies.count * copies.size_bytes >= COLD_L2_FACTOR * self._kit.l2_bytes or not copies.size_bytes
        return plan.calls if plan.method == "events" or is_rotated else min(plan.calls, copies.count)

    def _forget(self) -> None:
        for graph in self._graphs.values():
            self._driver.destroy_graph(graph)
        self._graphs.clear()
        self._queue.close()
        self._checker.close()


def _calls(least_s: float, most_s: float, most: int) -> int:
    """Calls that make a slot of the faster version long enough, and of the slower one not too long."""
    wanted = math.ceil(SLOT_S / least_s)
    bearable = max(1, math.floor(_LONGEST_SLOT_S / most_s))
    return max(1, min(wanted, bearable, most))


def _median(values: Sequence[float]) -> float:
    ordered = sorted(values)
    middle = len(ordered) // 2
    return ordered[middle] if len(ordered) % 2 else (ordered[middle - 1] + ordered[middle]) / 2
