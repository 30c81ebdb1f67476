"""Linear equations between counts that are at least 0, taken up in the order of trust: one that contradicts those before it is refused.

Kept as a dictionary of the simplex method (Chvátal, "Linear Programming", 1983, chapters 2 and 3): some counts are sums of the others,
and all are at least 0 where the others are 0. Example::

    system = Equations(100.0)
    system.accept({"body": 1, "skipped": 1}, 100)   # True: both ways out of a branch
    system.accept({"body": 1}, 30)                  # True
    system.accept({"skipped": 1}, 90)               # False: it is 70
    system.value({"skipped": 1})                    # 70.0
"""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

__all__ = ["Equations"]

_SLACK = 1e-7
"""Of the scale: what rounding may leave over."""
_LEAST_COEFFICIENT = 1e-9
_MOST_PIVOTS = 400
"""Of one question; seen: at most some tens. One that takes more is refused."""

_Vector = NDArray[np.float64]
_Table = np.ndarray[tuple[int, int], np.dtype[np.float64]]


def _zeros(row_count: int, column_count: int) -> _Table:
    return np.zeros((row_count, column_count))


class Equations:
    """Counts by name."""

    def __init__(self, scale: float) -> None:
        """``scale``: a usual count, to tell rounding from a difference."""
        self._scale = max(1.0, scale)
        self._names: dict[str, int] = {}
        self._free: list[int] = []
        """Counts of the columns."""
        self._basic: list[int] = []
        """Counts of the rows."""
        self._table = _zeros(0, 0)
        self._constants: _Vector = np.zeros(0)

    def accept(self, terms: Mapping[str, float], value: float) -> bool:
        """Adds ``Σ terms = value`` unless no counts fulfil it with what holds already."""
        row, constant = self._reduced(terms)
        target = value / self._scale
        return self._reach(row, constant, target) if target >= constant else self._reach(-row, -constant, -target)

    def accept_nearest(self, terms: Mapping[str, float], value: float) -> None:
        """Adds ``Σ terms`` = what can be of it, nearest to ``value``."""
        low, high = self.bounds(terms)
        self.accept(terms, min(max(value, low), high))

    def value(self, terms: Mapping[str, float]) -> float | None:
        """A sum of counts; None while the equations leave it open."""
        row, constant = self._reduced(terms)
        if not np.any(np.abs(row) > _LEAST_COEFFICIENT):
            return constant * self._scale
        high = self._most(row, constant, enough=constant + 2 * _SLACK)
        if high > constant + _SLACK:
            return None
        row, constant = self._reduced(terms)
        low = -self._most(-row, -constant, enough=2 * _SLACK - constant)
        return low * self._scale if high - low <= _SLACK else None

    def bounds(self, terms: Mapping[str, float]) -> tuple[float, float]:
        """The least and the most that a sum can be; infinite where nothing limits it."""
        row, constant = self._reduced(terms)
        if not np.any(np.abs(row) > _LEAST_COEFFICIENT):
            return constant * self._scale, constant * self._scale
        high = self._most(row, constant)
        row, constant = self._reduced(terms)
        return -self._most(-row, -constant) * self._scale, high * self._scale

    def _reduced(self, terms: Mapping[str, float]) -> tuple[_Vector, float]:
        """The sum in terms of the free counts."""
        for name in terms:
            if name not in self._names:
                self._names[name] = len(self._names)
                self._free.append(self._names[name])
                self._table = np.hstack((self._table, _zeros(len(self._basic), 1)))
        row, constant = np.zeros(len(self._free)), 0.0
        columns = {count: index for index, count in enumerate(self._free)}
        rows = {count: index for index, count in enumerate(self._basic)}
        for name, coefficient in terms.items():
            count = self._names[name]
            if count in columns:
                row[columns[count]] += coefficient
            else:
                row += coefficient * self._table[rows[count]]
                constant += coefficient * float(self._constants[rows[count]])
        return row, constant

    def _most(self, row: _Vector, constant: float, enough: float = math.inf) -> float:
        """The most that a sum can be, or more than ``enough`` as soon as it is known to be."""
        for _ in range(_MOST_PIVOTS):
            if constant > enough:
                return constant
            entering = self._entering(row)
            if entering is None:
                return constant
            leaving, _ = self._leaving(entering)
            if leaving is None:
                return math.inf
            row, constant = self._pivot(leaving, entering, row, constant)
        return math.inf

    def _reach(self, row: _Vector, constant: float, target: float) -> bool:
        """Goes to where the sum is ``target``, which is not below ``constant``, and keeps it there."""
        for _ in range(_MOST_PIVOTS):
            missing = target - constant
            if missing <= _SLACK:
                return self._keep(row, missing)
            entering = self._entering(row)
            if entering is None:
                return False
            leaving, step = self._leaving(entering)
            if leaving is None or step * row[entering] >= missing:
                self._replace_column(entering, row, missing)
                return True
            row, constant = self._pivot(leaving, entering, row, constant)
        return False

    def _keep(self, row: _Vector, missing: float) -> bool:
        entering = int(np.argmax(np.abs(row))) if row.size else 0
        if row.size and abs(row[entering]) > _LEAST_COEFFICIENT:
            self._replace_column(entering, row, 0.0 if row[entering] < 0 else missing)
        return True

    def _entering(self, row: _Vector) -> int | None:
        """A free count that makes the sum larger, by Bland's rule, which never goes in circles."""
        found = np.flatnonzero(row > _LEAST_COEFFICIENT)
        return min((int(index) for index in found), key=lambda index: self._free[index], default=None)

    def _leaving(self, entering: int) -> tuple[int | None, float]:
        """The row that reaches 0 first as the column's count grows, and how far that is."""
        column = self._table[:, entering]
        limiting = np.flatnonzero(column < -_LEAST_COEFFICIENT)
        if not limiting.size:
            return None, math.inf
        steps = self._constants[limiting] / -column[limiting]
        least = float(steps.min())
        rows = (int(index) for index in limiting[steps <= least + 1e-12])
        return min(rows, key=lambda index: self._basic[index]), least

    def _pivot(self, leaving: int, entering: int, row: _Vector, constant: float) -> tuple[_Vector, float]:
        """Exchanges a basic and a free count; the sum in the new terms."""
        own = self._table[leaving]
        factor = own[entering]
        new = -own / factor
        new[entering] = 1.0 / factor
        new_constant = -float(self._constants[leaving]) / factor
        column = self._table[:, entering].copy()
        self._table[:, entering] = 0.0
        self._table += np.outer(column, new)
        self._constants += column * new_constant
        self._table[leaving], self._constants[leaving] = new, new_constant
        np.maximum(self._constants, 0.0, out=self._constants)
        self._basic[leaving], self._free[entering] = self._free[entering], self._basic[leaving]
        weight = float(row[entering])
        changed = row.copy()
        changed[entering] = 0.0
        return changed + weight * new, constant + weight * new_constant

    def _replace_column(self, entering: int, row: _Vector, missing: float) -> None:
        """The column's count becomes what makes the sum grow by ``missing``, whatever the other free counts are."""
        new = -row / row[entering]
        new[entering] = 0.0
        constant = missing / float(row[entering])
        column = self._table[:, entering].copy()
        self._table = np.delete(self._table + np.outer(column, new), entering, axis=1)
        self._table = np.vstack((self._table, np.delete(new, entering)))
        self._constants = np.maximum(np.append(self._constants + column * constant, constant), 0.0)
        self._basic.append(self._free.pop(entering))
