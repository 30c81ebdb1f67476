"""Which of Nsight Compute's launches are which of ours, and how far apart their times are. Pure, from the rows that were kept.

Example::

    print(ncu_table(kept.rows))
"""

from __future__ import annotations

import re
import statistics
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from assistant.model.comparison import CaseSpeed
from assistant.serialize import decode
from benchmarks.gpu.ncu_searches import Edit, Search
from benchmarks.gpu.ncu_times import Launch, Shape, ShapeTime, bare, shape_times
from benchmarks.table import heading, row

__all__ = ["LeftOut", "Timed", "compared", "is_off", "ncu_table", "searches_of"]

Rows = Sequence[dict[str, Any]]
Times = Mapping[Shape, ShapeTime]

_LEAST_S = 20e-6
"""Shorter kernels are listed, and held to nothing."""
_TIME_TOLERANCE = 0.10
_RATIO_TOLERANCE = 0.05
_HEADER = ("program", "kernel", "techniques", "A, ours", "A, ncu", "off", "ratio, ours", "ratio, ncu", "off", "ncu's spread")
_KERNEL = re.compile(r"^(?:\w+::)*(\w+)(?:<.*>)?(?:, |$)")
"""At the start of a case's name, where several kernels were timed together: ``blur, n=4096``."""
_CONFIGURATION = re.compile(r"grid (\([^)]*\)), block (\([^)]*\))")
"""In a case's name, where the kernel takes no integers, or several launches the same: ``n=4096, grid (8, 1, 1), block (256, 1, 1) (2)``."""


@dataclass(frozen=True)
class Timed:
    """One shape of a kernel before and after an edit, by us and by Nsight Compute."""

    program: str
    kernel: str
    """With its shape."""
    techniques: str
    a_s: float
    b_s: float
    ncu_a: ShapeTime
    ncu_b: ShapeTime

    @property
    def ratio(self) -> float:
        return self.a_s / self.b_s

    @property
    def ncu_ratio(self) -> float:
        return self.ncu_a.median_s / self.ncu_b.median_s

    @property
    def time_off(self) -> float:
        """Of A's: 0.1 where ours is 10 % longer."""
        return self.a_s / self.ncu_a.median_s - 1.0

    @property
    def ratio_off(self) -> float:
        return self.ratio / self.ncu_ratio - 1.0

    @property
    def is_long(self) -> bool:
        """Whether A is long enough for its time to be held to Nsight Compute's."""
        return self.ncu_a.median_s >= _LEAST_S

    @property
    def is_long_twice(self) -> bool:
        """Whether A and B are."""
        return min(self.ncu_a.median_s, self.ncu_b.median_s) >= _LEAST_S


@dataclass(frozen=True)
class LeftOut:
    """A time of ours with none of Nsight Compute's next to it, and why."""

    words: str


def ncu_table(rows: Rows) -> str:
    """As it stands in docs/measurements.md; below it what was left out, and the sums."""
    found = _all(rows)
    timed = [item for item in found if isinstance(item, Timed)]
    left_out = [f"- left out: {item.words}" for item in found if isinstance(item, LeftOut)]
    return "\n".join((heading(*_HEADER), *map(_line, timed), "", *left_out, *([""] if left_out else []), *_summary(timed, len(left_out))))


def is_off(rows: Rows) -> bool:
    """Whether a time or a ratio is further off than it may be, or nothing was long enough to tell."""
    timed = [item for item in _all(rows) if isinstance(item, Timed)]
    is_far = any(item.is_long and abs(item.time_off) > _TIME_TOLERANCE for item in timed)
    is_ratio_far = any(item.is_long_twice and abs(item.ratio_off) > _RATIO_TOLERANCE for item in timed)
    return is_far or is_ratio_far or not any(item.is_long for item in timed)


def searches_of(rows: Rows) -> list[Search]:
    """In the order in which they were kept."""
    return [decode(Search, {name: value for name, value in found.items() if name != "what"}) for found in rows if found["what"] == "search"]


def compared(program: str, edits: Sequence[Edit], a: Times, b: Times) -> Iterator[Timed | LeftOut]:
    """Each case of all edits of a version; ``a`` and ``b`` are Nsight Compute's times of the original and of the version."""
    for edit in edits:
        others = {bare(other.kernel) for other in edits if other is not edit}
        for case in edit.cases:
            yield _compared(program, edit, case, others, (a, b))


def _all(rows: Rows) -> list[Timed | LeftOut]:
    searches = {found.program: found for found in searches_of(rows)}
    return [item for found in rows if found["what"] == "runs" for item in _of_program(searches[found["program"]], found)]


def _of_program(found: Search, runs: Mapping[str, Any]) -> Iterator[Timed | LeftOut]:
    original = _times(runs["original"])
    for built, kept in zip(found.versions, runs["versions"], strict=True):
        yield from compared(found.program, built.edits, original, _times(kept))


def _times(runs: Any) -> Times:
    return shape_times(decode(tuple[tuple[Launch, ...], ...], runs))


def _compared(program: str, edit: Edit, case: CaseSpeed, others: set[str], times: tuple[Times, Times]) -> Timed | LeftOut:
    own = bare(edit.kernel)
    name, shape = _named(case, own)
    what = "+".join(edit.techniques)
    if case.before_s is None or case.after_s is None:
        return LeftOut(f"{program}, {name}, {what}: {case.shape!r} was not timed")
    if name != own and name in others:
        return LeftOut(f"{program}, {name} under {what} of {own}: another edit of the same version changes it")
    before, after = _before(times[0], name, shape), _after(times, name, shape)
    if len(before) != 1 or len(after) != 1:
        seen = " and ".join(_shown(found) for found in (before, after))
        return LeftOut(f"{program}, {name}, {what}: which of ncu's launches are {case.shape!r} is not known ({seen})")
    a, b = times[0][before[0]], times[1][after[0]]
    return Timed(program, f"{name} {_KERNEL.sub('', case.shape)}".strip(), what, case.before_s, case.after_s, a, b)


def _named(case: CaseSpeed, kernel: str) -> tuple[str, Shape | None]:
    """The bare name of a case's kernel and its launch's shape; None where the case's name tells none."""
    named, configuration = _KERNEL.match(case.shape), _CONFIGURATION.search(case.shape)
    name = named[1] if named else kernel
    if configuration is None:
        return name, None
    grid, block = (tuple(int(digits) for digits in re.findall(r"\d+", text)) for text in configuration.groups())
    return name, Shape(name, grid, block)


def _before(times: Times, name: str, shape: Shape | None) -> list[Shape]:
    """What a case can be of the original's launches: of its shape, or any of the kernel's where that is not known."""
    return [seen for seen in times if seen.kernel == name and shape in (None, seen)]


def _after(times: tuple[Times, Times], name: str, shape: Shape | None) -> list[Shape]:
    """What it can be of the version's: of the same shape, else the only one that the original does not have, else any of the kernel's."""
    seen = [found for found in times[1] if found.kernel == name]
    new = [found for found in seen if found not in times[0]]
    return [found for found in seen if found == shape] or (new if len(new) == 1 else seen)


def _shown(shapes: Sequence[Shape]) -> str:
    return ", ".join(f"grid {shape.grid}, block {shape.block}" for shape in shapes) or "none"


def _line(item: Timed) -> str:
    small = "" if item.is_long_twice else " (below 20 µs)"
    times = (_microseconds(item.a_s), _microseconds(item.ncu_a.median_s), f"{item.time_off:+.1%}{small}")
    ratios = (f"{item.ratio:.3f}", f"{item.ncu_ratio:.3f}", f"{item.ratio_off:+.1%}")
    return row(item.program, item.kernel, item.techniques, *times, *ratios, f"{item.ncu_a.spread_ratio:.1%}")


def _microseconds(time_s: float) -> str:
    return f"{time_s * 1e6:.1f} µs"


def _summary(timed: Sequence[Timed], left_out_count: int) -> Iterator[str]:
    programs = {item.program for item in timed}
    yield f"{len(timed)} timed in {len(programs)} programs, {left_out_count} left out"
    times = [item.time_off for item in timed if item.is_long]
    ratios = [item.ratio_off for item in timed if item.is_long_twice]
    short = [item.ratio_off for item in timed if not item.is_long_twice]
    yield from _sums("A's times of 20 µs and more", times, _TIME_TOLERANCE)
    yield from _sums("ratios with both sides of 20 µs and more", ratios, _RATIO_TOLERANCE)
    yield from _sums("ratios with a side below 20 µs", short, _RATIO_TOLERANCE)


def _sums(what: str, off: Sequence[float], most: float) -> Iterator[str]:
    sizes = [abs(value) for value in off]
    if sizes:
        beyond = sum(size > most for size in sizes)
        yield f"{what}, n={len(sizes)}: median {statistics.median(sizes):.1%} off, at most {max(sizes):.1%}; beyond {most:.0%}: {beyond}"
