"""A cell that is open in VS Code: its language server is asked, through memory, to make the edit there.

VS Code gives a kernel no way to change a cell, but its extension may edit what it has open. Example::

    EditorCells(workshop, namespace).place(proposal, ("h1",), cell_text)     # Replacement(is_done=True)
"""

from __future__ import annotations

import hashlib
import os
import time
import uuid
from collections.abc import Mapping

from assistant.model.placement import Placement, PlacementState
from assistant.model.proposal import Proposal
from jupyter_ext.cells import Replacement
from jupyter_ext.workshop import Workshop

__all__ = ["EditorCells"]

_OF_VS_CODE = "__vsc_ipynb_file__"
"""The variable that VS Code's Jupyter extension puts into a notebook's namespace."""
_TAKEN_S = 2.0
"""An editor that has the cell takes the request within a fifth of a second; longer, and there is none."""
_MADE_S = 10.0
_POLL_S = 0.05


class EditorCells:
    """The cells of a notebook, as far as VS Code has it open."""

    def __init__(self, workshop: Workshop, namespace: Mapping[str, object]) -> None:
        self._workshop = workshop
        self._namespace = namespace

    def place(self, proposal: Proposal, hunk_ids: tuple[str, ...], current: str) -> Replacement | None:
        """Have the text with these hunks, without any the text before the proposal, put where ``current`` is; blocks until it is known.

        None where the notebook is not run from VS Code.
        """
        if _OF_VS_CODE not in self._namespace:
            return None
        expected = hashlib.sha256(current.encode("utf-8", "surrogatepass")).hexdigest()
        asked = Placement(uuid.uuid4().hex, proposal.id, hunk_ids, expected, f"jupyter {os.getpid()}", time.time_ns() // 1_000_000)
        self._workshop.loop.call(self._workshop.store.ask_placement, asked)
        try:
            return self._answer(asked.id)
        finally:
            self._withdrawn(asked.id)  # an interrupt: the caller does not wait any more

    def _answer(self, placement_id: str) -> Replacement:
        begun_s = time.monotonic()
        while (waited_s := time.monotonic() - begun_s) < _MADE_S:
            match self._workshop.loop.call(self._workshop.store.placement_state, placement_id):
                case PlacementState.DONE:
                    return Replacement(True)
                case PlacementState.REFUSED:
                    return Replacement(False, "changed", "VS Code has another text in it, or did not make the edit")
                case PlacementState.ASKED if waited_s > _TAKEN_S and self._withdrawn(placement_id):
                    return Replacement(False, "", "VS Code has no kernelopt extension, or not this notebook")
                case _:
                    time.sleep(_POLL_S)
        return Replacement(False, "", "VS Code did not report whether it made the edit")

    def _withdrawn(self, placement_id: str) -> bool:
        """Whether it had not been taken."""
        move = self._workshop.store.move_placement
        return self._workshop.loop.call(move, placement_id, PlacementState.ASKED, PlacementState.WITHDRAWN)
