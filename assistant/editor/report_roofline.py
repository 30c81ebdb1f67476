"""A roofline in parts for a page: where everything is drawn, and its numbers in words for the table below. Pure.

Example::

    roofline_part(profile.roofline).points[0]   # ('DRAM', '0.25 op/byte', '1.02 Top/s', '1.2 Top/s')
"""

from __future__ import annotations

from assistant.model.roofline import Roofline
from assistant.profile.roofline_plot import HEIGHT, WIDTH, Plot, Spot, plot_roofline, si
from assistant.record import Record

__all__ = ["RooflinePart", "roofline_part", "two_rooflines_part"]


class RooflinePart(Record):
    target: str
    plot: Plot
    width: int
    height: int
    points: tuple[tuple[str, str, str, str], ...]
    """(against, intensity, at the predicted time, ceiling there)."""


def roofline_part(roofline: Roofline) -> RooflinePart | None:
    """None where the launch does no arithmetic."""
    plot = plot_roofline(roofline)
    if plot is None:
        return None
    return RooflinePart(roofline.target, plot, WIDTH, HEIGHT, tuple(_point(spot, spot.level) for spot in plot.points))


def two_rooflines_part(before: Roofline, after: Roofline) -> RooflinePart | None:
    """Both versions on one drawing; None where either does no arithmetic."""
    plot = plot_roofline(after, before) if before.points else None
    if plot is None:
        return None
    points = (
        *(_point(spot, f"{spot.level} before") for spot in plot.before),
        *(_point(spot, f"{spot.level} after") for spot in plot.points),
    )
    return RooflinePart(after.target, plot, WIDTH, HEIGHT, points)


def _point(spot: Spot, name: str) -> tuple[str, str, str, str]:
    return (name, f"{spot.intensity:.3g} op/byte", f"{si(spot.operations_per_s)}op/s", f"{si(spot.bound_operations_per_s)}op/s")
