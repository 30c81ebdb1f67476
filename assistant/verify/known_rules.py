"""What judging asks of an original alone, kept for all candidates that are held against the same runs of it.

Example::

    rules = known.of(usable.ordinary, evidence.outputs, evidence.tolerance)
    rules.prepared, rules.weak, rules.spreads
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import cached_property

from assistant.model.verification import CannotJudge
from assistant.model.workload import Tolerance
from assistant.verify.controls import check_controls
from assistant.verify.evidence import CaseEvidence
from assistant.verify.rules import PreparedOutput, Spreads, Unusable, prepare, usual_spreads

__all__ = ["KnownRules", "OriginalRules"]

_MOST_KEPT = 2
"""Sets of cases: candidates may do without some, and runs on moved inputs are added once. Each holds masks of all outputs."""


class OriginalRules:
    """How candidates are held against the original on some cases."""

    def __init__(self, cases: tuple[CaseEvidence, ...], declared: tuple[str, ...], tolerance: Tolerance) -> None:
        """``cases``: without runs of a candidate."""
        self.of = cases, declared, tolerance
        self._prepared = prepare(cases, declared, tolerance)

    @property
    def prepared(self) -> tuple[PreparedOutput, ...]:
        return self._prepared[0]

    @property
    def unusable(self) -> tuple[Unusable, ...]:
        return self._prepared[1]

    @cached_property
    def weak(self) -> Mapping[str, CannotJudge]:
        """By kernel why these cases cannot judge it."""
        cases, _, tolerance = self.of
        return dict(check_controls(cases, self.prepared, tolerance))

    @cached_property
    def spreads(self) -> Spreads:
        return usual_spreads(self.prepared, self.of[0])


class KnownRules:
    """The rules that were asked for last."""

    def __init__(self) -> None:
        self._kept: tuple[OriginalRules, ...] = ()

    def of(self, cases: tuple[CaseEvidence, ...], declared: tuple[str, ...], tolerance: Tolerance) -> OriginalRules:
        """The rules of the original's runs on ``cases``; those of candidates do not count."""
        alone = tuple(replace(case, candidate=()) for case in cases)
        found = next((rules for rules in self._kept if rules.of == (alone, declared, tolerance)), None)
        if found is None:
            found = OriginalRules(alone, declared, tolerance)
            self._kept = (*self._kept, found)[-_MOST_KEPT:]
        return found
