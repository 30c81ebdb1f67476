"""Short ids of proposals: ``P1``, ``P2`` …, numbered in each workspace in the order in which they were made, never reused.

Long ids stay what events and decisions name; these are for people. Example::

    give_number(database, "P01M7…", "\"/work\"")
    numbered(database, "\"/work\"", 1)     # "P01M7…"
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence

from assistant.errors import UsageError
from assistant.memory.database import Database
from assistant.model.short_ids import first_letters
from assistant.profile.quantity import first_of

__all__ = ["beginnings", "give_number", "number_of", "numbered", "short_number"]

_SHOWN_IDS = 5
_SHORT = re.compile(r"P([1-9]\d*)", re.IGNORECASE)
"""No long id begins so: what follows their P is a time, whose first digit is 0."""


def short_number(name: str) -> int | None:
    """3 for ``P3``; None for anything else."""
    found = _SHORT.fullmatch(name)
    return None if found is None else int(found[1])


def give_number(database: Database, proposal_id: str, workspace_key: str) -> None:
    """Number a proposal that was just stored; in the transaction that stored it."""
    digest = hashlib.sha256(workspace_key.encode()).hexdigest()
    ((number,),) = database.rows(
        "select 1 + max(coalesce((select number from last_numbers where workspace_sha256 = ?1), 0),"
        " coalesce((select max(number) from proposals where workspace = json_extract(?2, '$')), 0))",
        (digest, workspace_key),
    )
    database.execute("update proposals set number = ? where id = ?", (number, proposal_id))
    database.execute(
        "insert into last_numbers values (?1, ?2) on conflict (workspace_sha256) do update set number = excluded.number", (digest, number)
    )


def number_of(database: Database, proposal_id: str) -> int | None:
    """None of an unknown proposal, and in a file that an older version made and nothing may write to."""
    row = database.row("select number from proposals where id = ?", (proposal_id,))
    return None if row is None else row[0]


def numbered(database: Database, workspace_key: str | None, number: int) -> str:
    """Id of the proposal of that number: of the workspace, else of the only one that has it. Raises UsageError for none or several."""
    match _called(database, workspace_key, number) or _called(database, None, number):
        case ():
            raise UsageError(f"there is no proposal P{number}", "kernelopt proposals lists them")
        case (proposal_id,):
            return proposal_id
        case several:
            remedy = f"give the first letters of its long id: {beginnings(database, several)}"
            raise UsageError(f"{len(several)} folders have a proposal P{number}", remedy)


def beginnings(database: Database, ids: Sequence[str]) -> str:
    """The first of these long ids, each by as many of its letters as tell it from all others: whole, people would read a short one."""
    known = [known for (known,) in database.rows("select id from proposals")]
    return first_of([first_letters(each, known) for each in ids], _SHOWN_IDS)


def _called(database: Database, workspace_key: str | None, number: int) -> tuple[str, ...]:
    """Of a workspace, or of every one; without those that were forgotten."""
    found = database.rows(
        "select id from proposals where number = ?1 and record is not null and (?2 is null or workspace = json_extract(?2, '$'))",
        (number, workspace_key),
    )
    return tuple(proposal_id for (proposal_id,) in found)
