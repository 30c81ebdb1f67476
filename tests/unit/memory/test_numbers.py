"""Short ids stay those of their proposals: when contents are forgotten, and in files that were made before there were any."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

from assistant.memory import open_store
from assistant.memory.forget import ForgetScope

DATA = Path(__file__).parents[2] / "data" / "memory"


def test_a_number_is_never_given_again_even_if_all_of_a_workspace_is_forgotten(path: Path, given: Any) -> None:
    with open_store(path) as store:
        for proposal_id in ("P01", "P02"):
            store.add_proposal(given.workspace, given.proposal(proposal_id, kernel=f"{proposal_id}()"))
        store.forget(ForgetScope(workspace=given.workspace), 9_000_000_000)
        store.add_proposal(given.workspace, given.proposal("P03"))
        assert store.short_id("P03") == "P3" and store.find_proposal("P3").id == "P03"
        assert str(given.workspace) not in "".join(str(row) for row in store.database.rows("select * from last_numbers"))
        assert store.verify().damages == ()


def test_proposals_of_before_are_numbered_in_their_order(tmp_path: Path) -> None:
    path = tmp_path / "memory.sqlite3"
    shutil.copy(DATA / "version13.sqlite3", path)
    with open_store(path) as store:
        (proposal,) = store.proposals()
        assert store.short_id(proposal.id) == "P1" and store.find_proposal("P1") == proposal
