"""What memory has already answered of a cell: a proposal that waits on its text, or whose acceptance made it. On the session's thread.

Example::

    waiting(store, cell)                     # the open proposal on the text as it stands
    is_accepted(store, cell, before)         # whether the step from `before` to the cell's text is an accepted proposal, judged already
"""

from __future__ import annotations

from collections.abc import Sequence

from assistant.live.binding import Bound
from assistant.live.workload import ShapeBinding
from assistant.model.proposal import Proposal, ProposalState
from assistant.ports.store import Store
from jupyter_ext.cells import Cell

__all__ = ["is_accepted", "kind_of_arrays", "waiting"]


def waiting(store: Store, cell: Cell) -> Proposal | None:
    """The newest open proposal on the cell's text as it stands."""
    found = store.proposals(None, frozenset({ProposalState.OPEN}), cell.path)
    changes = ((item, item.change_of(cell.path)) for item in found)
    return next((item for item, change in changes if change is not None and change.before_text == cell.text), None)


def is_accepted(store: Store, cell: Cell, before: str) -> bool:
    """Whether an accepted proposal turns ``before`` into the cell's text."""
    changes = (item.change_of(cell.path) for item in store.proposals(None, frozenset({ProposalState.ACCEPTED}), cell.path))
    return any(change is not None and (change.before_text, change.after_text) == (before, cell.text) for change in changes)


def kind_of_arrays(bound: Sequence[ShapeBinding], reference: str | None) -> tuple[object, ...]:
    """Names, types, shapes and devices of arrays, scalars, the reference: a verdict on these holds for other values in the arrays."""
    return (*(_kind_of(one.bound) for one in bound), reference)


def _kind_of(bound: Bound) -> tuple[object, ...]:
    arrays = tuple((name, array.dtype, array.shape, array.device) for name, array in bound.arrays.items())
    return (arrays, tuple(sorted(bound.scalars.items())))
