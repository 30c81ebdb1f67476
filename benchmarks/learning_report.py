"""What searches with and without memory say: candidates until 95 % of the best gain, early and late in an order, and what was found in the
end. Pure.

The gain of a kernel is log(time before / time after); the best is that of any search on it. What never comes to 95 % of the best counts
as one candidate more than was tried. The least that any order could need is the number of edits in the shortest chain that came there.
Kernels whose best is below `LEAST_RATIO` are left out: there is nothing to find early. Intervals are percentiles of a bootstrap over
kernels.
"""

from __future__ import annotations

import math
import random
import statistics
from collections.abc import Callable, Sequence

from assistant.record import Record

__all__ = ["Curve", "Search", "report_in_words", "reported"]

LEAST_RATIO = 1.05
_SHARE = 0.95
_GROUP = 10
"""Kernels at the beginning and at the end of an order that are compared."""
_RESAMPLES = 2_000
_SEED = 19
_SLOWER = 0.98
"""Best ratio with memory over best without, below which a kernel ended slower."""


class Search(Record):
    """One kernel in one search."""

    program: str
    kernel: str
    """Empty where nothing was tried."""
    order: int
    """-1: without memory."""
    position: int
    gains: tuple[tuple[str, float], ...]
    """(technique, best ratio so far) after each candidate."""
    failure: str
    duration_s: float
    lengths: tuple[int, ...] = ()
    """Edits in the chain of the best so far after each candidate."""

    @property
    def best(self) -> float:
        return max((ratio for _, ratio in self.gains), default=1.0)

    def candidates_to(self, ratio: float) -> int:
        """Until the best is at least that."""
        return next((count for count, (_, best) in enumerate(self.gains, 1) if best >= ratio), len(self.gains) + 1)

    def edits_to(self, ratio: float) -> int | None:
        """In the chain that came there; None where none did, or it was not kept."""
        count = self.candidates_to(ratio)
        return self.lengths[count - 1] if count <= len(self.lengths) else None


class Curve(Record):
    """What one group of pairs says."""

    name: str
    pair_count: int
    kernel_count: int
    with_memory: float
    """Mean number of candidates."""
    without: float
    saved: float
    """1 - the geometric mean of candidates with memory over candidates without."""
    low: float
    high: float
    """95 % interval of ``saved``."""
    least: float
    """Mean number of candidates that any order must try."""
    most_saved: float
    """What an order that knew everything would save."""


class _Pair(Record):
    kernel: tuple[str, str]
    place: int
    """Among the kernels of its order that have something to be found."""
    left: int
    """Kernels of its order after it."""
    with_memory: int
    without: int
    best_with: float
    best_without: float
    least: int
    """Candidates that any order must try."""


def reported(searches: Sequence[Search]) -> tuple[Curve, ...]:
    """All pairs, the first and the last of each order."""
    pairs = _pairs(searches)
    groups: tuple[tuple[str, Callable[[_Pair], bool]], ...] = (
        ("all", lambda _: True),
        ("kernels on which order can matter", lambda pair: pair.without > pair.least),
        (f"first {_GROUP} of an order", lambda pair: pair.place < _GROUP),
        (f"last {_GROUP} of an order", lambda pair: pair.left < _GROUP),
    )
    return tuple(_curve(name, [pair for pair in pairs if is_in(pair)]) for name, is_in in groups if any(map(is_in, pairs)))


def report_in_words(searches: Sequence[Search]) -> str:
    """For people."""
    pairs = _pairs(searches)
    lines = [f"{len({pair.kernel for pair in pairs})} kernels with something to find, {len(pairs)} pairs of searches"]
    for curve in reported(searches):
        lines.append(
            f"{curve.name}: {curve.with_memory:.1f} candidates with memory, {curve.without:.1f} without, over {curve.pair_count} pairs on"
            f" {curve.kernel_count} kernels; {curve.saved:.0%} saved [{curve.low:.0%}, {curve.high:.0%}]; at least"
            f" {curve.least:.1f} are needed: at most {curve.most_saved:.0%} could be saved"
        )
    slower = [pair for pair in pairs if pair.best_with < _SLOWER * pair.best_without]
    lines.append(f"ended slower than without memory: {len(slower)} of {len(pairs)}")
    lines += [f"  {'/'.join(pair.kernel)}: {pair.best_with:.2f}x with memory, {pair.best_without:.2f}x without" for pair in slower]
    failed = {(search.program, search.failure) for search in searches if search.failure}
    lines += [f"failed: {program}: {failure}" for program, failure in sorted(failed)]
    return "\n".join(lines)


def _pairs(searches: Sequence[Search]) -> list[_Pair]:
    tried = [search for search in searches if search.kernel and not search.failure]
    best: dict[tuple[str, str], float] = {}
    for search in tried:
        best[_kernel(search)] = max(best.get(_kernel(search), 1.0), search.best)
    without = {_kernel(search): search for search in tried if search.order < 0}
    found: list[_Pair] = []
    for order in sorted({search.order for search in tried if search.order >= 0}):
        those = [s for s in tried if s.order == order and best[_kernel(s)] >= LEAST_RATIO and _kernel(s) in without]
        those.sort(key=lambda search: search.position)
        for place, search in enumerate(those):
            other, goal = without[_kernel(search)], best[_kernel(search)] ** _SHARE
            counts = search.candidates_to(goal), other.candidates_to(goal)
            least = min((length for each in tried if _kernel(each) == _kernel(search) and (length := each.edits_to(goal))), default=1)
            found.append(_Pair(_kernel(search), place, len(those) - 1 - place, *counts, search.best, other.best, least))
    return found


def _kernel(search: Search) -> tuple[str, str]:
    return search.program, search.kernel


def _curve(name: str, pairs: list[_Pair]) -> Curve:
    by_kernel: dict[tuple[str, str], list[float]] = {}
    for pair in pairs:
        by_kernel.setdefault(pair.kernel, []).append(math.log(pair.with_memory / pair.without))
    at_best: dict[tuple[str, str], list[float]] = {}
    for pair in pairs:
        at_best.setdefault(pair.kernel, []).append(math.log(min(pair.least, pair.without) / pair.without))
    means = [statistics.fmean(values) for values in by_kernel.values()]
    drawn = random.Random(_SEED)
    resampled = sorted(statistics.fmean(drawn.choices(means, k=len(means))) for _ in range(_RESAMPLES))
    low, high = resampled[int(0.025 * _RESAMPLES)], resampled[int(0.975 * _RESAMPLES) - 1]
    return Curve(
        name=name,
        pair_count=len(pairs),
        kernel_count=len(by_kernel),
        with_memory=statistics.fmean(pair.with_memory for pair in pairs),
        without=statistics.fmean(pair.without for pair in pairs),
        saved=1 - math.exp(statistics.fmean(means)),
        low=1 - math.exp(high),
        high=1 - math.exp(low),
        least=statistics.fmean(pair.least for pair in pairs),
        most_saved=1 - math.exp(statistics.fmean(statistics.fmean(values) for values in at_best.values())),
    )
