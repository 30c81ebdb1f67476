"""Where everything of a roofline goes on a drawing of fixed size: lines, labels, ticks and points. Both axes are logarithmic.

Knows nothing of HTML. Example::

    plot_roofline(report.roofline).points[0].x            # pixels from the left
    plot_roofline(after.roofline, before.roofline).before  # where another version stands on the same axes
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from assistant.model.roofline import Ceiling, Point, Roofline
from assistant.record import Record

__all__ = ["HEIGHT", "WIDTH", "Line", "Plot", "Spot", "Tick", "plot_roofline", "si"]

WIDTH, HEIGHT = 660, 400
"""Size of the whole drawing, in its own units."""
_LEFT, _RIGHT, _TOP, _BOTTOM = 64, 16, 16, 48
_ROOM = 3.0
"""Factor of empty space beyond the outermost values."""
_PREFIXES = ((1e15, "P"), (1e12, "T"), (1e9, "G"), (1e6, "M"), (1e3, "k"))


class Line(Record):
    """A ceiling."""

    x1: float
    y1: float
    x2: float
    y2: float
    label: str
    label_x: float
    label_y: float
    angle: float
    """Degrees that the label is turned by, to lie along the line."""
    is_slope: bool
    is_lowest: bool
    """Nothing lies below it: its label does, so that it is clear of the next line."""


class Tick(Record):
    at: float
    label: str


class Spot(Record):
    """The launch against one level of memory."""

    x: float
    y: float
    level: str
    intensity: float
    operations_per_s: float
    bound_operations_per_s: float
    label_y: float


class Plot(Record):
    """A drawn roofline; None of it where nothing was counted."""

    lines: tuple[Line, ...]
    x_ticks: tuple[Tick, ...]
    y_ticks: tuple[Tick, ...]
    points: tuple[Spot, ...]
    before: tuple[Spot, ...] = ()
    """Spots of the version before an edit; empty where one version is drawn."""
    left: float = _LEFT
    right: float = WIDTH - _RIGHT
    top: float = _TOP
    bottom: float = HEIGHT - _BOTTOM


class _Axes(Record):
    x_min: float
    x_max: float
    y_min: float
    y_max: float

    def x(self, intensity: float) -> float:
        return _LEFT + _share(intensity, self.x_min, self.x_max) * (WIDTH - _LEFT - _RIGHT)

    def y(self, operations_per_s: float) -> float:
        return HEIGHT - _BOTTOM - _share(operations_per_s, self.y_min, self.y_max) * (HEIGHT - _TOP - _BOTTOM)


def plot_roofline(roofline: Roofline, before: Roofline | None = None) -> Plot | None:
    """None where the launch does no arithmetic that machine code shows, so that it has no place on a roofline.

    ``before``: another version on the same target.
    """
    if not roofline.points:
        return None
    earlier = () if before is None else before.points
    axes = _axes(roofline, (*roofline.points, *earlier))
    slowest = min(ceiling.bytes_per_s for ceiling in roofline.ceilings if ceiling.bytes_per_s is not None)
    slopes = tuple(_slope(axes, c, c.bytes_per_s == slowest) for c in roofline.ceilings if c.bytes_per_s is not None)
    flats = tuple(_flat(axes, ceiling) for ceiling in roofline.ceilings if ceiling.operations_per_s is not None)
    x_ticks = tuple(Tick(axes.x(value), si(value)) for value in _decades(axes.x_min, axes.x_max))
    y_ticks = tuple(Tick(axes.y(value), si(value)) for value in _decades(axes.y_min, axes.y_max))
    return Plot((*slopes, *flats), x_ticks, y_ticks, _spots(axes, roofline.points), _spots(axes, earlier))


def si(value: float) -> str:
    """Three significant digits and a decimal prefix: ``4.8 T``."""
    for factor, prefix in _PREFIXES:
        if value >= factor:
            return f"{value / factor:.3g} {prefix}"
    return f"{value:.3g}"


def _spots(axes: _Axes, points: Sequence[Point]) -> tuple[Spot, ...]:
    return tuple(
        Spot(axes.x(p.intensity), axes.y(p.operations_per_s), p.level, p.intensity, p.operations_per_s, p.bound_operations_per_s,
             axes.y(p.operations_per_s) + (-12 if index % 2 == 0 else 20))
        for index, p in enumerate(points)
    )  # fmt: skip


def _axes(roofline: Roofline, points: Sequence[Point]) -> _Axes:
    peaks = [c.operations_per_s for c in roofline.ceilings if c.operations_per_s is not None]
    slopes = [c.bytes_per_s for c in roofline.ceilings if c.bytes_per_s is not None]
    ridges = [peak / slope for peak in peaks for slope in slopes]
    intensities = [point.intensity for point in points]
    speeds = [point.operations_per_s for point in points]
    x_min, x_max = min(*ridges, *intensities) / _ROOM, max(*ridges, *intensities) * _ROOM
    return _Axes(x_min, x_max, min(*speeds, min(slopes) * x_min * _ROOM) / _ROOM, max(*peaks, *speeds) * _ROOM)


def _slope(axes: _Axes, ceiling: Ceiling, is_lowest: bool) -> Line:
    assert ceiling.bytes_per_s is not None
    start = max(axes.x_min, axes.y_min / ceiling.bytes_per_s)
    end = min(axes.x_max, axes.y_max / ceiling.bytes_per_s)
    x1, y1, x2, y2 = axes.x(start), axes.y(ceiling.at(start)), axes.x(end), axes.y(ceiling.at(end))
    angle = math.degrees(math.atan2(y2 - y1, x2 - x1))
    label = f"{ceiling.name} {si(ceiling.bytes_per_s)}B/s"
    return Line(x1, y1, x2, y2, label, x1 + 0.06 * (x2 - x1), y1 + 0.06 * (y2 - y1), angle, is_slope=True, is_lowest=is_lowest)


def _flat(axes: _Axes, ceiling: Ceiling) -> Line:
    assert ceiling.operations_per_s is not None
    y = axes.y(ceiling.operations_per_s)
    label = f"{ceiling.name} {si(ceiling.operations_per_s)}op/s"
    return Line(axes.x(axes.x_min), y, axes.x(axes.x_max), y, label, _LEFT + 6, y, 0.0, is_slope=False, is_lowest=False)


def _decades(low: float, high: float) -> list[float]:
    return [10.0**power for power in range(math.ceil(math.log10(low)), math.floor(math.log10(high)) + 1)]


def _share(value: float, low: float, high: float) -> float:
    return math.log(value / low) / math.log(high / low)
