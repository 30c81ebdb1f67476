"""Pair sessions in memory: one open per kernel, turns appended in order, covered by verify, forget and export."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from assistant.memory import ForgetScope, MemoryStore, export_lines, open_store
from assistant.model.comparison import Comparison, SpeedOutcome
from assistant.model.pair import MetricChange, Turn, TurnKind
from assistant.model.verification import Outcome
from tests.contracts.stored import pair_session, turn

BASELINE = "__global__ void transpose() { /* 32 */ }\n"
EDITED = "__global__ void transpose() { /* 33 */ }\n"


def judged(number: int = 2) -> Turn:
    speed = Comparison(SpeedOutcome.PREDICTED, 1.5, None, None, None, "model error 1.28x median", (), "model")
    moved = (MetricChange("shared_wavefronts", 32.0, 1.0, "wavefronts", "emulator", True),)
    return turn(number, TurnKind.EDIT, text=EDITED, outcome=Outcome.PASS, against_baseline=speed, moved=moved, breaks=("keep the launch",))


def test_a_session_and_its_turns_come_back_as_they_were_stored(path: Path, given: Any) -> None:
    with open_store(path) as store:
        store.open_pair(pair_session(), turn())
        assert store.add_turn(judged())
    with open_store(path) as store:
        assert store.pair_sessions(given.file) == (pair_session(),)
        assert store.find_pair("s01") == pair_session()
        assert store.turns("S01") == (turn(), judged())
        assert store.verify().damages == ()


@pytest.mark.parametrize("table", ["pair_sessions", "pair_turns"])
def test_nothing_of_a_session_can_be_changed_or_deleted(store: MemoryStore, given: Any, table: str) -> None:
    store.open_pair(pair_session(), turn())
    for statement in (f"delete from {table}", f"update {table} set record = '{{}}'", f"update {table} set record = null"):
        with pytest.raises(Exception, match="never"):
            store.database.execute(statement)


def test_a_turn_that_was_changed_behind_our_back_is_found(store: MemoryStore, given: Any) -> None:
    store.open_pair(pair_session(), turn())
    store.database.execute("drop trigger pair_turns_are_final")
    store.database.execute("update pair_turns set record = replace(record, 'turn 1', 'turn I')")
    told = {(damage.subject, damage.message) for damage in store.verify().damages}
    assert ("turn S01/1", "was changed") in told


def test_forgetting_a_file_takes_its_sessions_and_their_texts(store: MemoryStore, given: Any) -> None:
    store.open_pair(pair_session(), turn())
    store.add_turn(judged())
    other = pair_session("S02", path=given.workspace / "other.cu", baseline_text="__global__ void other() {}\n")
    store.open_pair(other, turn(name="S02"))
    forgotten = store.forget(ForgetScope(path=given.file), 1_800_000_000_000)
    assert forgotten.pair_count == 1 and forgotten.text_count == 2
    assert store.pair_sessions(is_open_only=False) == (other,) and store.turns("S01") == ()
    assert store.verify().damages == ()


def test_export_holds_sessions_and_turns(store: MemoryStore, given: Any) -> None:
    store.open_pair(pair_session(), turn())
    store.add_turn(judged())
    records = [json.loads(line) for line in export_lines(store)]
    assert [r["record"] for r in records] == ["pair", "turn", "turn"]
    assert records[0]["baseline_text"] == BASELINE and records[2]["text"] == EDITED
