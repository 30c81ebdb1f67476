"""The Region in which the programs of two versions differ, with all launches of both.

Example::

    ProgramRegion(region, of_a, of_b).name      # 'scale, add → scale_add'
"""

from __future__ import annotations

from collections.abc import Sequence

from assistant.record import Record
from assistant.workload.regions import OrderedLaunch, Region
from assistant.workload.select import kernel_name

__all__ = ["ProgramRegion"]

_MOST_NAMES = 4


class ProgramRegion(Record):
    """Where two programs differ, with all of their launches."""

    region: Region
    before: tuple[OrderedLaunch, ...]
    after: tuple[OrderedLaunch, ...]

    @property
    def name(self) -> str:
        """``scale, add → scale_add``."""
        old = _names([self.before[index] for index in self.region.before])
        new = _names([self.after[index] for index in self.region.after])
        return f"{old} → {new}"


def _names(launches: Sequence[OrderedLaunch]) -> str:
    names = [kernel_name(launch.kernel) for launch in launches]
    return ", ".join(names[:_MOST_NAMES]) + (", …" if len(names) > _MOST_NAMES else "")
