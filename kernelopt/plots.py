"""A profile as a pandas table and as a matplotlib figure; either library is imported when it is first asked for.

Example::

    kernel.profile((out, x, n)).lines.to_dataframe()
"""

# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false, reportUnknownArgumentType=false
# Neither library is needed by the rest, and neither says all of its types.

from __future__ import annotations

from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING, Any

from assistant.errors import UsageError
from assistant.model.event_parts import ProfileLine
from assistant.model.roofline import Roofline

if TYPE_CHECKING:
    from matplotlib.figure import Figure
    from pandas import DataFrame

__all__ = ["Lines", "MissingLibrary", "roofline_figure"]

_SPAN = 30.0
"""Factor that is drawn to either side of the launch's points."""


class MissingLibrary(UsageError, ImportError):  # noqa: N818 - a fact, named as the code reads
    """A library that an extra of this distribution brings is not installed."""


class Lines(tuple[ProfileLine, ...]):
    """Accesses of a launch, line by line."""

    __slots__ = ()

    def to_dataframe(self) -> DataFrame:
        """One row per line and kind of access; counters that do not apply are missing values. Raises MissingLibrary without pandas."""
        names = list(ProfileLine.__annotations__)
        rows = [[getattr(line, name) for name in names] for line in self]
        return _imported("pandas").DataFrame(rows, columns=names)


def roofline_figure(roofline: Roofline) -> Figure:
    """The launch's points under the limits of its target, both axes logarithmic. Raises MissingLibrary without matplotlib.

    A figure of its own, without ``pyplot``: nothing has to be closed, and no window opens.
    """
    figure: Any = _imported("matplotlib.figure").Figure(figsize=(7, 4.5), layout="constrained")
    axes = figure.subplots()
    low, high = _range(roofline)
    for ceiling in roofline.ceilings:
        axes.plot([low, high], [ceiling.at(low), ceiling.at(high)], linewidth=1, label=ceiling.name)
    for point in roofline.points:
        axes.plot([point.intensity], [point.operations_per_s], "o", color="black")
        axes.annotate(point.level, (point.intensity, point.operations_per_s), textcoords="offset points", xytext=(6, -3))
    time = "predicted" if roofline.time_is_predicted else "measured"
    axes.set(xscale="log", yscale="log", xlabel="operations per byte", ylabel=f"operations per second, {time}", title=roofline.target)
    axes.legend(fontsize="small")
    return figure


def _range(roofline: Roofline) -> tuple[float, float]:
    """Operations per byte that are drawn."""
    intensities = [point.intensity for point in roofline.points] or [1.0]
    return min(intensities) / _SPAN, max(intensities) * _SPAN


def _imported(name: str) -> ModuleType:
    try:
        return import_module(name)
    except ImportError as error:
        library = name.split(".", maxsplit=1)[0]
        raise MissingLibrary(f"this needs {library}, which is not installed", f"pip install {library}, or kernelopt[plot]") from error
