"""What a search did not try, and why: the few declines that say most, at its end.

A decline counts as much as the finding at its line costs; the technique that a finding names goes before others there.
What was tried elsewhere in the kernel, had nothing to change or gains nothing is left out; all declines are in the events (``--json``).

Example::

    not_tried = NotTried()
    not_tried.found(event); not_tried.planned(event)
    not_tried.lines()     # ('warp-per-row line 24: every iteration stores to `best[k]`', …), at most five, and how many more there are
"""

from __future__ import annotations

from collections import Counter

from assistant.engine.report import technique_in_words
from assistant.model import events
from assistant.model.plan import NO_MODEL, Decline, DeclineReason

__all__ = ["NotTried"]

_MOST_LINES = 5
_MOST_OF_A_PLACE = 2
"""Declines shown for a line of the source, so that the costliest line does not take all of them."""
_LEAST_COST_RATIO = 0.01
"""Share of the kernel's time below which nothing is worth a line."""
_UNINFORMATIVE = frozenset(
    {DeclineReason.NOTHING_TO_CHANGE, DeclineReason.ALREADY_DONE, DeclineReason.ALREADY_TRIED, DeclineReason.NO_GAIN, None}
)


class NotTried:
    """Gathers the declines of a search."""

    def __init__(self) -> None:
        self._costs: dict[tuple[str, int], float] = {}
        self._messages: dict[tuple[str, int], str] = {}
        self._declines: list[Decline] = []
        self._tried: set[tuple[str, str]] = set()

    def found(self, event: events.FindingsFound) -> None:
        """What the findings of a kernel cost, and what they say."""
        for finding in event.findings:
            place = (finding.kernel, finding.line)
            self._costs[place] = max(self._costs.get(place, 0.0), finding.estimated_cost_ratio or 0.0)
            self._messages[place] = f"{self._messages.get(place, '')} {finding.message}"

    def planned(self, event: events.PlanMade) -> None:
        """A plan's steps and declines."""
        self._tried.update((step.kernel, step.technique) for step in event.steps)
        self._declines += [d for d in event.declines if d.technique != NO_MODEL and d.code not in _UNINFORMATIVE]

    def lines(self) -> tuple[str, ...]:
        """At most five, the costliest first, then how many more there are; with the kernel's name where several were searched."""
        untried = (d for d in self._declines if (d.kernel, d.technique) not in self._tried)
        ordered = sorted(untried, key=lambda d: (-self._cost(d), not self._is_named(d)))
        chosen: dict[tuple[str, str, str], Decline] = {}
        of_place = Counter[tuple[str, int]]()
        for decline in ordered:
            place, key = (decline.kernel, decline.line), (decline.kernel, decline.technique, decline.reason)
            if self._cost(decline) >= _LEAST_COST_RATIO and of_place[place] < _MOST_OF_A_PLACE and key not in chosen:
                of_place[place] += 1
                chosen[key] = decline
        is_of_several = len({d.kernel for d in self._declines}) > 1
        said = {_in_words(d, is_of_several=is_of_several): key for key, d in chosen.items()}
        shown = tuple(said)[:_MOST_LINES]
        others = {(d.kernel, d.technique, d.reason) for d in ordered if self._cost(d) >= _LEAST_COST_RATIO} - {said[line] for line in shown}
        return (*shown, *((f"and {len(others)} more, which --verbose shows",) if others else ()))

    def _cost(self, decline: Decline) -> float:
        return self._costs.get((decline.kernel, decline.line), 0.0)

    def _is_named(self, decline: Decline) -> bool:
        """A finding at its line says that it would help: "a warp per row would …"."""
        return technique_in_words(decline.technique) in self._messages.get((decline.kernel, decline.line), "")


def _in_words(decline: Decline, *, is_of_several: bool) -> str:
    """``is_of_several``: kernels, two of which may be launched on one line."""
    of = f" of {decline.kernel.partition('(')[0]}" if is_of_several else ""
    return f"{technique_in_words(decline.technique)}{of} line {decline.line}: {decline.reason}"
