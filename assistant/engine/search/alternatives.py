"""Versions of an edit that ask a person for different decisions, as one offer. Pure.

Each of them is faster than those that ask for less: a Pareto set of decisions and gain. Example::

    asks_for_less(node.decisions, [frozenset({"precision"})])     # whether it is worth confirming as well
    as_offered(versions)                                          # the one without decisions first
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from assistant.engine.search.deferred import decisions_of
from assistant.engine.search.trials import SearchNode
from assistant.model.proposal import Proposal
from assistant.record import Record

__all__ = ["Version", "as_offered", "asks_for_less"]


class Version(Record):
    """A confirmed version, and what would be offered of it."""

    node: SearchNode
    proposal: Proposal

    @property
    def decisions(self) -> frozenset[str]:
        """By its confirmation, whose checks may ask for more than its screen."""
        return decisions_of(self.proposal.verification)


def asks_for_less(decisions: frozenset[str], known: Iterable[frozenset[str]]) -> bool:
    """Whether none of the known versions, which are faster, asks for these decisions or fewer."""
    return not any(asked <= decisions for asked in known)


def as_offered(versions: Sequence[Version]) -> list[Version]:
    """Without those that are slower than one that asks for no more; one without decisions first, then by gain."""
    best = [one for one in versions if not any(_is_better(other, one) for other in versions)]
    return sorted(best, key=lambda one: (bool(one.decisions), -one.proposal.comparison.ratio))


def _is_better(a: Version, b: Version) -> bool:
    """``a`` asks for no more than ``b`` and is faster; of equals the first that asks for less."""
    is_less = a.decisions < b.decisions and a.proposal.comparison.ratio >= b.proposal.comparison.ratio
    return is_less or (a.decisions == b.decisions and a.proposal.comparison.ratio > b.proposal.comparison.ratio)
