"""staged-rows leaves launches alone whose rows L1 can hold, rows that are short, and tiles that find no room."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from assistant.model.launch import Dim3, LaunchConfig
from assistant.model.plan import Decline
from assistant.model.recorded_facts import FactsOrigin, RecordedFacts, RecordedScalar
from assistant.plan.expert.staged_rows import StagedRows

DATA = Path(__file__).resolve().parents[3] / "data" / "plan" / "staged-rows"


@pytest.fixture
def result(context_of):
    def check(name: str, blocks: int, length: int | None = None, change: tuple[str, str] = ("", "")):
        text = (DATA / f"{name}.cu").read_text("utf-8").replace(*change)
        scalars = () if length is None else (RecordedScalar("days", length, length, 1),)
        facts = RecordedFacts("k", FactsOrigin.RECORDED, 1, 1, (), (), (), scalars)
        return StagedRows().rewrite(replace(context_of(text), launches=(LaunchConfig(Dim3(blocks), Dim3(64)),), recorded=facts))

    return check


def test_few_threads_or_short_rows_would_not_gain(result):
    assert not isinstance(result("worst_drawdown", 512, length=64), Decline)
    for few in (result("worst_drawdown", 511, length=64), result("worst_drawdown", 512, length=63)):
        assert isinstance(few, Decline)
        assert few.code == "no_gain"


def test_tiles_that_find_no_room_are_declined_with_what_would_help(result):
    declined = result("worst_drawdown", 512, change=("64, 64>>>", "64, 256>>>"))
    assert isinstance(declined, Decline)
    assert declined.code == "limit_exceeded"
    assert "smaller blocks would leave room" in declined.reason
