"""Pair sessions in memory: one open per kernel, turns appended in order, covered by verify, forget and export."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from assistant.errors import UsageError
from assistant.memory import ForgetScope, MemoryStore, export_lines, open_store
from assistant.model.comparison import Comparison, SpeedOutcome
from assistant.model.pair import MetricChange, PairSession, Turn, TurnKind
from assistant.model.verification import Outcome

BASELINE = "__global__ void transpose() { /* 32 */ }\n"
EDITED = "__global__ void transpose() { /* 33 */ }\n"


def session(given: Any, name: str = "S01", **changes: Any) -> PairSession:
    made = PairSession(name, given.workspace, given.file, "transpose", "no bank conflicts", BASELINE, 1_700_000_000_000, "lsp 12")
    return replace(made, **changes)


def turn(number: int = 1, kind: TurnKind = TurnKind.START, name: str = "S01", **more: Any) -> Turn:
    return Turn(name, number, kind, "", f"turn {number}", 1_700_000_000_000 + number, "lsp 12", **more)


def judged(number: int = 2) -> Turn:
    speed = Comparison(SpeedOutcome.PREDICTED, 1.5, None, None, None, "model error 1.28x median", (), "model")
    moved = (MetricChange("shared_wavefronts", 32.0, 1.0, "wavefronts", "emulator", True),)
    return turn(number, TurnKind.EDIT, text=EDITED, outcome=Outcome.PASS, against_baseline=speed, moved=moved, breaks=("keep the launch",))


def test_a_session_and_its_turns_come_back_as_they_were_stored(path: Path, given: Any) -> None:
    with open_store(path) as store:
        store.open_pair(session(given), turn())
        assert store.add_turn(judged())
    with open_store(path) as store:
        assert store.pair_sessions(given.file) == (session(given),)
        assert store.find_pair("s01") == session(given)
        assert store.turns("S01") == (turn(), judged())
        assert store.verify().damages == ()


def test_one_session_is_open_on_a_kernel_and_the_second_to_start_gets_it(store: MemoryStore, given: Any) -> None:
    assert store.open_pair(session(given), turn()).id == "S01"
    assert store.open_pair(session(given, "S02"), turn(name="S02")).id == "S01"
    assert store.open_pair(session(given, "S03", kernel="other"), turn(name="S03")).id == "S03"
    assert store.add_turn(turn(2, TurnKind.STOP))
    assert store.open_pair(session(given, "S04"), turn(name="S04")).id == "S04"
    assert [s.id for s in store.pair_sessions(given.file)] == ["S04", "S03"]
    assert [s.id for s in store.pair_sessions(given.file, is_open_only=False)] == ["S04", "S03", "S01"]


def test_a_taken_number_and_an_ended_session_take_no_turn(store: MemoryStore, given: Any) -> None:
    store.open_pair(session(given), turn())
    assert not store.add_turn(turn(1, TurnKind.WHY))
    assert store.add_turn(turn(2, TurnKind.STOP)) and not store.add_turn(turn(3, TurnKind.EDIT))
    assert [t.kind for t in store.turns("S01")] == [TurnKind.START, TurnKind.STOP]


def test_an_unknown_session_is_named(store: MemoryStore) -> None:
    with pytest.raises(UsageError, match="S99"):
        store.find_pair("S99")


@pytest.mark.parametrize("table", ["pair_sessions", "pair_turns"])
def test_nothing_of_a_session_can_be_changed_or_deleted(store: MemoryStore, given: Any, table: str) -> None:
    store.open_pair(session(given), turn())
    for statement in (f"delete from {table}", f"update {table} set record = '{{}}'", f"update {table} set record = null"):
        with pytest.raises(Exception, match="never"):
            store.database.execute(statement)


def test_a_turn_that_was_changed_behind_our_back_is_found(store: MemoryStore, given: Any) -> None:
    store.open_pair(session(given), turn())
    store.database.execute("drop trigger pair_turns_are_final")
    store.database.execute("update pair_turns set record = replace(record, 'turn 1', 'turn I')")
    told = {(damage.subject, damage.message) for damage in store.verify().damages}
    assert ("turn S01/1", "was changed") in told


def test_forgetting_a_file_takes_its_sessions_and_their_texts(store: MemoryStore, given: Any) -> None:
    store.open_pair(session(given), turn())
    store.add_turn(judged())
    other = session(given, "S02", path=given.workspace / "other.cu", baseline_text="__global__ void other() {}\n")
    store.open_pair(other, turn(name="S02"))
    forgotten = store.forget(ForgetScope(path=given.file), 1_800_000_000_000)
    assert forgotten.pair_count == 1 and forgotten.text_count == 2
    assert store.pair_sessions(is_open_only=False) == (other,) and store.turns("S01") == ()
    assert store.verify().damages == ()


def test_export_holds_sessions_and_turns(store: MemoryStore, given: Any) -> None:
    store.open_pair(session(given), turn())
    store.add_turn(judged())
    records = [json.loads(line) for line in export_lines(store)]
    assert [r["record"] for r in records] == ["pair", "turn", "turn"]
    assert records[0]["baseline_text"] == BASELINE and records[2]["text"] == EDITED
