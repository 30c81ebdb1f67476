"""Edits of notebook cells that the notebook's kernel asks for: decided there, made here, where the cell is open.

VS Code gives a kernel no way to change a cell. The kernel decides, and keeps the decision when it hears that the edit stands; this only
makes the edit, as one that the editor can undo, and only in a cell whose text is still the one that was judged.
"""

from __future__ import annotations

import asyncio
import hashlib
import time
from collections.abc import Iterator
from pathlib import Path

from assistant.editor.review import AwaitedEdit
from assistant.engine.proposals import DecisionRequest, chosen_of
from assistant.errors import KernelOptError, UsageError
from assistant.model.placement import Placement, PlacementState
from assistant.model.proposal import DecisionKind, Proposal
from lsp.backend import Backend
from lsp.client import Client
from lsp.edits import DocumentEdits, NewText
from lsp.units import Unit, Units

__all__ = ["CellEdits"]

_POLL_S = 0.2
"""A person waits for the answer, in the notebook."""
_FRESH_MS = 10_000
"""Older requests are ignored: the kernel no longer waits for them."""
_OTHERS_MS = 800
"""How long another window with the same notebook has to take a request that does not fit the text here; a kernel waits longer."""
_NOTEBOOK = ".ipynb"


class CellEdits:
    """Makes the edits that kernels of a client's notebooks ask for."""

    def __init__(self, client: Client, units: Units, backend: Backend, edits: DocumentEdits) -> None:
        self._client = client
        self._open_units = units
        self._backend = backend
        self._edits = edits
        self._watching: asyncio.Task[None] | None = None

    def watch(self) -> None:
        """A notebook was opened: listen to kernels from now on."""
        if self._watching is None:
            self._watching = asyncio.get_running_loop().create_task(self._watch())

    async def close(self) -> None:
        if self._watching is not None:
            self._watching.cancel()
            await asyncio.gather(self._watching, return_exceptions=True)

    async def _watch(self) -> None:
        seen: int | None = None
        waiting: tuple[Placement, ...] = ()
        while True:
            await asyncio.sleep(_POLL_S)
            if not any(_notebook(unit.path) for unit in self._units()):
                continue  # a notebook without CUDA: the memory is not opened for it
            version = self._backend.store.data_version()
            if version != seen or waiting:
                seen, now_ms = version, time.time_ns() // 1_000_000
                waiting = self._backend.store.placements(now_ms - _FRESH_MS)
                for asked in waiting:
                    self._look(asked, now_ms)

    def _look(self, asked: Placement, now_ms: int) -> None:
        """Take what is for a cell that is open here; refuse it where the cell has another text, and no other window took it."""
        store = self._backend.store
        try:
            proposal = store.find_proposal(asked.proposal)
        except UsageError:
            return  # it was forgotten meanwhile
        cells = [unit for unit in self._units() if _notebook(unit.path) == _notebook(proposal.path)]
        judged = [unit for unit in cells if _sha256(unit.text) == asked.expected_sha256]
        unit = next((unit for unit in judged if unit.path == proposal.path), next(iter(judged), None))
        if unit is not None and store.move_placement(asked.id, PlacementState.ASKED, PlacementState.TAKEN):
            self._client.spawn(self._place(asked, proposal, unit))
        elif unit is None and now_ms - asked.asked_ms > _OTHERS_MS and any(cell.path == proposal.path for cell in cells):
            store.move_placement(asked.id, PlacementState.ASKED, PlacementState.REFUSED)

    async def _place(self, asked: Placement, proposal: Proposal, unit: Unit) -> None:
        is_made = False
        try:
            after = self._after(asked, proposal, unit)
            is_made = await self._edits.make(NewText(unit, after), proposal.id, f"kernelopt {proposal.id}: {proposal.summary}")
        except KernelOptError as error:
            self._client.say_once(f"{proposal.id} was not put into its cell: {error.message}")
        finally:
            if is_made:
                self._backend.editor.review.other_made(unit.path)
            else:
                self._backend.editor.review.await_no_other(unit.path)
            answer = PlacementState.DONE if is_made else PlacementState.REFUSED
            self._backend.store.move_placement(asked.id, PlacementState.TAKEN, answer)

    def _after(self, asked: Placement, proposal: Proposal, unit: Unit) -> str:
        """The text with the hunks; without any, the one before the proposal."""
        chosen = DecisionRequest(DecisionKind.PARTIALLY_ACCEPTED, asked.hunk_ids)
        after = (chosen_of(proposal, chosen) if asked.hunk_ids else proposal.before)[0].text  # a cell is the only file of its proposals
        self._backend.editor.review.await_other(unit.path, AwaitedEdit(proposal.id, after, asked.asked_by))
        return after

    def _units(self) -> Iterator[Unit]:
        for uri in self._open_units.uris():
            yield from self._open_units.of(uri)


def _notebook(path: Path) -> Path | None:
    """The notebook of a cell's text (``/w/lab.ipynb.halve.cu``); None for a file."""
    name, found, _ = path.name.rpartition(_NOTEBOOK)
    return path.with_name(name + found) if found else None


def _sha256(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
