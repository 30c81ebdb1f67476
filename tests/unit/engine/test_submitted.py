"""An edit that somebody else made is offered where it is proved better, once, and worth a decision where it needs one."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from assistant.engine.proposals.submitted import Submission
from assistant.model import events
from assistant.model.source import Source
from tests.contracts.fake_lab import Behaviour
from tests.unit.engine.commands import Commands
from tests.unit.engine.searches import NAIVE, RIGHT
from tests.unit.engine.test_search import KERNELS, QUICK, turned

TEXT = f"{QUICK}\n{NAIVE}\n"


def submission(on: Commands, kernel: str = RIGHT) -> Submission:
    return Submission((Source(on.request(TEXT).file, TEXT.replace(NAIVE, kernel)),), "uses a tile", "an agent")


async def test_an_edit_is_offered_under_its_authors_name_until_it_is_turned_down(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(time, "time_ns", lambda: 1_700_000_000_123_999_999)
    on = Commands(tmp_path, kernels=KERNELS)
    await on.hear(on.session.submit(on.request(TEXT), submission(on)))
    made = on.store.find_proposal(on.only(events.ProposalMade).id)
    assert (made.model, made.techniques, made.created_ms) == ("an agent", ("submitted-edit",), 1_700_000_000_123)
    assert on.ending.exit_code == 0 and on.ending.reason.endswith(f"; it waits as {made.id} for a person to decide")
    on.session.reject(made.id, None, "no tiles")
    await on.hear(on.session.submit(on.request(TEXT), submission(on)))
    assert on.ending.exit_code == 1 and on.all(events.ProposalMade) == []
    assert on.ending.reason.startswith(f"not offered: the very same edit is {made.id}, rejected on ")
    await on.hear(on.session.submit(on.request(TEXT), submission(on, RIGHT.replace("[33]", "[34]"))))
    assert on.only(events.ProposalMade).id != made.id


async def test_an_edit_that_gains_nothing_is_not_offered(tmp_path: Path) -> None:
    on = Commands(tmp_path, kernels={"[33]": Behaviour(turned, sectors=32), **KERNELS})
    await on.hear(on.session.submit(on.request(TEXT), submission(on)))
    assert on.ending.exit_code == 1 and on.ending.reason == "not offered: no gain: PREDICTED 1.00x"


async def test_the_files_own_text_is_no_edit(tmp_path: Path) -> None:
    on = Commands(tmp_path, kernels=KERNELS)
    await on.hear(on.session.submit(on.request(TEXT), submission(on, NAIVE)))
    assert (on.ending.exit_code, on.ending.reason, on.said) == (
        2,
        "the submitted text is the file's own",
        ["the submitted text is the file's own"],
    )
