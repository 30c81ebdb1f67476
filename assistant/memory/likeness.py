"""How much a row of experience says about a kernel: by likeness of the kernels and devices, age and origin. Pure.

Rows of one kernel on one device are a `Group` and count once together, however often something was tried on it. Example::

    groups = grouped(query, rows)
    groups[0].weight        # 1: the same kernel, the same device, today
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import NamedTuple

from assistant.memory.devices import device_likeness
from assistant.memory.experience_rows import Known, vector_of
from assistant.model.experience import UNKNOWN, Origin, RecallQuery
from assistant.profile import state_distance

__all__ = ["HALF_LIFE_DAYS", "Group", "freshness", "grouped"]

HALF_LIFE_DAYS = 180.0
"""Chosen: two compiler releases a year; what held then may not now."""
DISSIMILAR = 0.5
"""Distance from which another kernel is not similar (chosen; a different bottleneck alone is 0.25)."""
_FAMILY_DISTANCE = 0.1
_ELEMENT_DISTANCE = 0.05
"""What another kind of work and another element type add (chosen: less than a different bottleneck, as counters say more)."""
_FAR = 0.05
"""Of a kernel that is not similar: its outcomes make up a technique's prior."""
_FAR_LIMIT = 0.5
"""Of all kernels that are not similar together: half a similar kernel."""
_IMPORTED = 0.5
"""Of a row of an import: who measured it, and how, is not known here."""
_IMPORTED_LIMIT = 1.0
"""Of all imported rows of a technique together: two kernels of your own outweigh any number of them."""
_DAY_MS = 86_400_000


class Group(NamedTuple):
    """Trials of a technique on one kernel and device, newest first, repetitions left out. A plain tuple, as `Known`."""

    rows: tuple[Known, ...]
    trust: float
    """0 to 1: of whether it was right, which is the same on every device."""
    weight: float
    """0 to 1: of its times, of which another device says less."""
    nearness: float
    """Likeness of the kernels alone; 0: not similar."""
    log_ratio: float | None
    """Mean over its timed trials, of those that were measured alone where any was; None without one."""
    variance: float
    """Of ``log_ratio``; 0 without one."""
    is_measured: bool
    judged_count: int
    right_count: int

    @property
    def first(self) -> Known:
        return self.rows[0]


def grouped(query: RecallQuery, rows: Iterable[Known]) -> tuple[Group, ...]:
    """Rows of one technique by kernel and device, weightiest first; rows of the job that asks are left out."""
    found: dict[tuple[str, str], dict[str, Known]] = {}
    for row in sorted(rows, key=_age):
        if query.job is None or row.job != query.job:
            found.setdefault((row.kernel_id, row.device), {}).setdefault(row.same, row)
    asked = _Asked(query)
    groups = [asked.group(tuple(group.values())) for group in found.values()]
    groups = _limited(groups, _FAR_LIMIT, [group.nearness == 0 for group in groups])
    groups = _limited(groups, _IMPORTED_LIMIT, [group.first.origin == Origin.IMPORT for group in groups])
    return tuple(sorted(groups, key=lambda group: -group.weight))


def freshness(now_ms: int, then_ms: int) -> float:
    """Halves every `HALF_LIFE_DAYS`; the future counts as today."""
    return 0.5 ** (max(0, now_ms - then_ms) / _DAY_MS / HALF_LIFE_DAYS)


class _Asked:
    """The query, with what is the same for all rows worked out once."""

    def __init__(self, query: RecallQuery) -> None:
        self._now_ms = query.now_ms
        self._label = query.state.signature.label
        self._vector = vector_of(query.state.signature)
        self._traits = query.state.traits
        self._device = query.state.device
        self._devices: dict[tuple[str, str], float] = {}
        """Likeness of each device that was met."""

    def group(self, rows: tuple[Known, ...]) -> Group:
        row = rows[0]
        nearness = max(map(self._likeness, rows))
        trust = max(nearness, _FAR) * freshness(self._now_ms, row.created_ms) * (_IMPORTED if row.origin == Origin.IMPORT else 1.0)
        log_ratio, variance, is_measured = _timed(rows) if len(rows) > 1 else _timed_once(row)
        judged = [each.is_right for each in rows if each.is_right is not None]
        weight = trust * self._device_likeness(row)
        return Group(rows, trust, weight, nearness, log_ratio, variance, is_measured, len(judged), sum(judged))

    def _likeness(self, row: Known) -> float:
        """Of two kernels: 1 for the same state, 0 from `DISSIMILAR` on."""
        traits = self._traits
        apart = state_distance(self._vector, row.vector, self._label == row.label)
        if traits.family != row.family and UNKNOWN not in (traits.family, row.family):
            apart += _FAMILY_DISTANCE
        if traits.element != row.element and UNKNOWN not in (traits.element, row.element):
            apart += _ELEMENT_DISTANCE
        return max(0.0, 1 - apart / DISSIMILAR)

    def _device_likeness(self, row: Known) -> float:
        key = (row.device, row.architecture)
        if key not in self._devices:
            self._devices[key] = device_likeness(self._device, row.device, row.architecture)
        return self._devices[key]


def _age(row: Known) -> int:
    return -row.created_ms


def _timed(rows: tuple[Known, ...]) -> tuple[float | None, float, bool]:
    """(mean log ratio, mean variance, whether they were measured): what was measured alone, where anything was."""
    timed = [_timed_once(row) for row in rows if row.log_ratio is not None]
    used = [each for each in timed if each[2]] or timed
    if not used:
        return None, 0.0, False
    return sum(each[0] or 0.0 for each in used) / len(used), sum(each[1] for each in used) / len(used), used[0][2]


def _timed_once(row: Known) -> tuple[float | None, float, bool]:
    return (None, 0.0, False) if row.log_ratio is None else (row.log_ratio, row.variance or 0.0, bool(row.is_measured))


def _limited(groups: list[Group], limit: float, is_limited: list[bool]) -> list[Group]:
    """The groups, those that are limited with a trust that comes to ``limit`` at most."""
    total = math.fsum(group.trust for group, limited in zip(groups, is_limited, strict=True) if limited)
    if total <= limit:
        return groups
    scale = limit / total
    return [
        group._replace(trust=group.trust * scale, weight=group.weight * scale) if limited else group
        for group, limited in zip(groups, is_limited, strict=True)
    ]
