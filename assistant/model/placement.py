"""A request to whichever editor has a notebook open: put a proposal's text into its cell. The notebook's kernel asks, and decides."""

from __future__ import annotations

from enum import StrEnum

from assistant.record import Record

__all__ = ["Placement", "PlacementState"]


class PlacementState(StrEnum):
    ASKED = "asked"
    """By a kernel that waits for an answer."""
    TAKEN = "taken"
    """An editor that has the cell is making the edit."""
    DONE = "done"
    REFUSED = "refused"
    """The editor did not make the edit, or its cell holds another text."""
    WITHDRAWN = "withdrawn"
    """No editor took it in time."""


class Placement(Record):
    """One edit of a cell; it holds no text, which the proposal has."""

    id: str
    proposal: str
    hunk_ids: tuple[str, ...]
    """Hunks whose text the cell is to have; none of them: the text before the proposal."""
    expected_sha256: str
    """Hash of the CUDA text that the cell must have until then."""
    asked_by: str
    """Front end and process."""
    asked_ms: int
    """Unix time."""
