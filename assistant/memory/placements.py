"""Edits of notebook cells that one process asks of another: rows that live for seconds. Not a part of history.

Example::

    add(database, placement)
    waiting(database, since_ms)                                                    # what an editor sees
    move(database, placement.id, PlacementState.ASKED, PlacementState.TAKEN)       # True for the first editor only
"""

from __future__ import annotations

import json

from assistant.memory.database import Database
from assistant.model.placement import Placement, PlacementState

__all__ = ["add", "move", "state", "waiting"]

_KEPT_MS = 60_000
"""Longer than anybody waits for an edit."""


def add(database: Database, placement: Placement) -> None:
    """Ask, and let go of what was asked long ago."""
    with database.transaction():
        database.execute("delete from placements where asked_ms < ?", (placement.asked_ms - _KEPT_MS,))
        database.execute(
            "insert into placements (id, proposal, hunk_ids, expected_hash, asked_by, asked_ms, state) values (?, ?, ?, ?, ?, ?, ?)",
            (
                placement.id,
                placement.proposal,
                json.dumps(placement.hunk_ids),
                placement.expected_sha256,
                placement.asked_by,
                placement.asked_ms,
                PlacementState.ASKED.value,
            ),
        )


def waiting(database: Database, since_ms: int) -> tuple[Placement, ...]:
    """Those that no editor took yet, oldest first."""
    found = database.rows(
        "select id, proposal, hunk_ids, expected_hash, asked_by, asked_ms from placements"
        " where state = ? and asked_ms >= ? order by asked_ms, id",
        (PlacementState.ASKED.value, since_ms),
    )
    return tuple(Placement(row[0], row[1], tuple(json.loads(row[2])), *row[3:]) for row in found)


def state(database: Database, placement_id: str) -> PlacementState | None:
    """None for one that there is no longer."""
    row = database.row("select state from placements where id = ?", (placement_id,))
    return None if row is None else PlacementState(row[0])


def move(database: Database, placement_id: str, before: PlacementState, after: PlacementState) -> bool:
    """Whether it was still in the state ``before``."""
    with database.transaction():
        changed = database.execute("update placements set state = ? where id = ? and state = ?", (after.value, placement_id, before.value))
    return changed > 0
