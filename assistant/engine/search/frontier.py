"""The versions that a search carries on with: which of them the next round builds on, and which is the best so far. Pure.

Each round builds on the best that the last one kept; the others that it kept are spare, for a round that keeps nothing. Example::

    frontier = Frontier.at(root)
    frontier = frontier.after(new)       # what a round kept
    frontier.nodes                       # what the next round builds on: one version, or none
    frontier.ranked()                    # best first
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import field, replace

from assistant.engine.proposals import HOST_CODE_MARGIN
from assistant.engine.search.trials import SearchNode
from assistant.record import Record

__all__ = ["Frontier"]


class Frontier(Record):
    """The versions that a search may build on, best first."""

    root: SearchNode
    nodes: tuple[SearchNode, ...] = ()
    """What the next round builds on: one version, or none."""
    chosen: tuple[SearchNode, ...] = ()
    """Every version that a round was to build on or that was kept last, in the order they were chosen; not the root."""
    spare: tuple[SearchNode, ...] = field(default=(), repr=False)
    """Kept versions that no round has built on."""

    @classmethod
    def at(cls, root: SearchNode) -> Frontier:
        return cls(root, (root,))

    def after(self, new: Iterable[SearchNode]) -> Frontier:
        """The next frontier: the best of ``new``. As it is where nothing is new."""
        fresh = _ordered(new)
        if not fresh:
            return self
        first, others = fresh[0], _ordered((*fresh[1:], *self.spare))
        if not first.may_be_built_on:
            return replace(self, nodes=(), chosen=(*self.chosen, first), spare=tuple(others))
        return replace(self, nodes=(first,), chosen=(*self.chosen, first), spare=tuple(others))

    def elsewhere(self, settled: SearchNode) -> Frontier:
        """The frontier after a round that kept nothing: the best spare version, else the same once more, as ``settled``."""
        best = next((node for node in self.spare if node.may_be_built_on), None)
        if best is None:
            return replace(self, nodes=(settled,))
        return replace(self, nodes=(best,), chosen=(*self.chosen, best), spare=tuple(node for node in self.spare if node is not best))

    def ranked(self) -> tuple[SearchNode, ...]:
        """Every kept version, best first: the ends of chains, what they were built on, what no round has built on.

        Among each, one that a person has to decide on before the search goes on comes last.
        """
        parents = {id(parent) for node in self.chosen for parent in self.chosen if _is_built_on(node, parent)}
        ends = [node for node in self.chosen if id(node) not in parents]
        return (*_ordered(ends), *_ordered(node for node in self.chosen if id(node) in parents), *_ordered(self.spare))

    def parent_of(self, node: SearchNode) -> SearchNode | None:
        """The version that its last step was made on; None where it is not known any more."""
        known = (self.root, *self.chosen, *self.spare)
        return next((other for other in known if other.attempts == node.attempts[:-1]), None) if node.attempts else None

    @property
    def best_ratio(self) -> float:
        """Ratio of the best version so far; 1 where nothing was kept."""
        return max((node.ratio for node in self.chosen), default=1.0)


def _ordered(nodes: Iterable[SearchNode]) -> list[SearchNode]:
    """What an agent submitted, then those that can be built on, by weight; of equals one without a decision, then the first."""
    return sorted(nodes, key=lambda node: (not node.is_submitted, not node.may_be_built_on, -_weight(node), node.needs_decision))


def _weight(node: SearchNode) -> float:
    """The ratio, with a margin off where host code is edited (``HOST_CODE_MARGIN`` says why)."""
    return node.ratio / HOST_CODE_MARGIN if node.has_host_code else node.ratio


def _is_built_on(node: SearchNode, parent: SearchNode) -> bool:
    ahead, behind = node.attempts, parent.attempts
    return len(ahead) > len(behind) and ahead[: len(behind)] == behind
