"""The versions that a search carries on with: which of them the next round builds on, and which is the best so far. Pure.

A search with a width of one is a chain: each round builds on the best that the last one kept. A wider one carries several versions on,
so that an edit whose gain shows only after the next one is not lost. Example::

    frontier = Frontier(root, width=2)
    frontier = frontier.after(new)       # what a round kept
    frontier.nodes                       # what the next round builds on
    frontier.ranked()                    # best first
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import field, replace

from assistant.engine.proposals import HOST_CODE_MARGIN
from assistant.engine.search.trials import SearchNode
from assistant.model.verification import Label
from assistant.record import Record

__all__ = ["Frontier"]


class Frontier(Record):
    """The versions of one search."""

    root: SearchNode
    width: int
    nodes: tuple[SearchNode, ...] = ()
    """What the next round builds on, best first."""
    chosen: tuple[SearchNode, ...] = ()
    """Every version that a round was to build on or that was kept last, in the order they were chosen; not the root."""
    spare: tuple[SearchNode, ...] = field(default=(), repr=False)
    """Kept versions that no round has built on."""

    @classmethod
    def at(cls, root: SearchNode, width: int) -> Frontier:
        return cls(root, width, (root,))

    def after(self, new: Iterable[SearchNode]) -> Frontier:
        """The next frontier: the best of ``new``, then the best of all that no round has built on. As it is where nothing is new."""
        fresh = _ordered(new)
        if not fresh:
            return self
        first, others = fresh[0], _ordered((*fresh[1:], *self.spare))
        if not first.may_be_built_on:
            return replace(self, nodes=(), chosen=(*self.chosen, first), spare=tuple(others))
        nodes = (first, *[node for node in others if node.may_be_built_on][: self.width - 1])
        return replace(self, nodes=nodes, chosen=(*self.chosen, *nodes), spare=tuple(node for node in others if node not in nodes))

    def elsewhere(self, settled: Iterable[SearchNode]) -> Frontier:
        """The frontier after a round that kept nothing: spare versions if there are any, else the same once more, as ``settled``."""
        left = [node for node in self.spare if node.may_be_built_on][: self.width]
        if not left:
            return replace(self, nodes=tuple(settled))
        return replace(self, nodes=tuple(left), chosen=(*self.chosen, *left), spare=tuple(n for n in self.spare if n not in left))

    def ranked(self) -> tuple[SearchNode, ...]:
        """Every kept version, best first: the ends of chains, what they were built on, what no round has built on.

        Among each, one that a person has to decide on before the search goes on comes last.
        """
        parents = {id(parent) for node in self.chosen for parent in self.chosen if _is_built_on(node, parent)}
        ends = [node for node in self.chosen if id(node) not in parents]
        return (*_ordered(ends), *_ordered(node for node in self.chosen if id(node) in parents), *_ordered(self.spare))

    @property
    def best_ratio(self) -> float:
        """Ratio of the best version so far; 1 where nothing was kept."""
        return max((node.ratio for node in self.chosen), default=1.0)


def _ordered(nodes: Iterable[SearchNode]) -> list[SearchNode]:
    """Those that can be built on first, then by weight; of equals one without a decision, then the first."""
    return sorted(nodes, key=lambda node: (not node.may_be_built_on, -_weight(node), node.needs_decision))


def _weight(node: SearchNode) -> float:
    """The ratio, with a margin off where host code is edited (``HOST_CODE_MARGIN`` says why)."""
    edits_host_code = any(Label.HOST_CODE in kept.rewrite.labels for kept in node.kept)
    return node.ratio / HOST_CODE_MARGIN if edits_host_code else node.ratio


def _is_built_on(node: SearchNode, parent: SearchNode) -> bool:
    ahead, behind = node.attempts, parent.attempts
    return len(ahead) > len(behind) and ahead[: len(behind)] == behind
