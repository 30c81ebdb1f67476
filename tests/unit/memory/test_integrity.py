"""Tampering, truncation and damage show; forgetting does not look like damage."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from assistant.errors import MemoryFileError, UsageError
from assistant.memory import ForgetScope, MemoryStore, open_store
from assistant.model.attempt import OtherFile
from assistant.model.proposal import DecisionKind, ProposalState
from tests.changes import change

OPEN = frozenset({ProposalState.OPEN})
OTHER = Path("/home/ada/other")
SECRET = "__global__ void secret_recipe() {}\n"


@pytest.fixture
def tamper(path: Path) -> Callable[[str], None]:
    """Run SQL on the file as somebody would who first removes the triggers, and puts them back."""

    def run(sql: str) -> None:
        """Runs the statement with the database's triggers switched off."""
        with sqlite3.connect(path) as connection:
            triggers = connection.execute("select name, sql from sqlite_master where type = 'trigger'").fetchall()
            for name, _ in triggers:
                connection.execute(f"drop trigger {name}")
            connection.execute(sql)
            for _, text in triggers:
                connection.execute(text)
        connection.close()

    return run


def filled(store: MemoryStore, given: Any) -> None:
    store.add_attempt(given.attempt("C01"))
    store.add_attempt(given.attempt("C02", text="another\n"))
    store.add_proposal(given.workspace, given.proposal())
    store.decide(given.decision(kind=DecisionKind.REJECTED, reason="no"), OPEN)


def test_an_untouched_file_is_whole(store: MemoryStore, given: Any) -> None:
    filled(store, given)
    report = store.verify()
    assert report.damages == ()
    assert (report.record_count, report.forgotten_count, report.text_count) == (4, 0, 5)


def test_texts_of_an_attempts_other_files_are_held_and_forgotten_with_it(store: MemoryStore, given: Any, path: Path) -> None:
    run = Path("/home/ada/run.cu")
    store.add_attempt(given.attempt("C01", also=(OtherFile(run, "run 32\n", SECRET, False),)))
    store.add_attempt(given.attempt("C02"))
    assert (store.verify().damages, store.verify().text_count) == ((), 4)
    assert store.forget(ForgetScope(path=given.file.parent / "elsewhere.cu"), 9).attempt_count == 0
    forgotten = store.forget(ForgetScope(path=run), 9)
    assert (forgotten.attempt_count, forgotten.text_count, store.verify().damages) == (1, 2, ())
    assert [attempt.id for attempt in store.attempts()] == ["C02"]
    store.close()
    assert SECRET.encode() not in path.read_bytes()


def test_a_record_with_paths_of_other_files_alone_is_read(store: MemoryStore, given: Any, tamper: Callable[[str], None]) -> None:
    """As they were written before texts were kept: no candidate of today has the same key, and nothing reads as damage but the change."""
    store.add_attempt(given.attempt("C01"))
    tamper("""update attempts set record = json_set(record, '$.also', json_array('/home/ada/run.cu'))""")
    (old,) = store.attempts(path=Path("/home/ada/run.cu"))
    assert old == given.attempt("C01", also=(OtherFile(Path("/home/ada/run.cu"), "", "", False),))
    assert old.key != old.text
    assert [damage.message for damage in store.verify().damages] == ["was changed"]
    assert store.forget(ForgetScope(path=Path("/home/ada/run.cu")), 9).text_count == 2


def test_an_empty_file_is_whole(store: MemoryStore) -> None:
    assert store.verify().damages == ()


@pytest.mark.parametrize(
    ("sql", "damage"),
    [
        ("update attempts set record = json_set(record, '$.reason', 'nicer') where id = 'C01'", "attempt C01 was changed"),
        ("update proposals set record = null", "proposal P01 lost its contents, but was not forgotten"),
        ("delete from attempts where id = 'C02'", "attempt C02 is missing"),
        ("delete from decisions", "decision 1 is missing"),
        ("insert into attempts (id, record) select 'C99', record from attempts limit 1", "attempt C99 was added outside the chain"),
        ("delete from chain where position = 2", "chain entry 2 is missing"),
        ("delete from chain where position = 4", "chain ends at entry 3, not where it was last written"),
        ("update chain set record_hash = 'sha256:00' where position = 1", "chain entry 1 does not follow from the one before"),
        ("update blobs set content = x'00'", "cannot be unpacked"),
        ("update blobs set content = null", "is missing, but"),
        ("drop table job_events", "schema job_events is missing"),
    ],
)
def test_tampering_shows(store: MemoryStore, given: Any, tamper: Callable[[str], None], sql: str, damage: str) -> None:
    filled(store, given)
    tamper(sql)
    assert damage in "\n".join(f"{d.subject} {d.message}" for d in store.verify().damages)


def test_a_swapped_text_shows(store: MemoryStore, given: Any, tamper: Callable[[str], None]) -> None:
    filled(store, given)
    tamper("update blobs set content = (select content from blobs order by size_bytes limit 1)")
    assert any(d.message == "is not the text that was stored" for d in store.verify().damages)


def test_a_removed_trigger_shows(store: MemoryStore, path: Path) -> None:
    with sqlite3.connect(path) as connection:
        connection.execute("drop trigger attempts_stay")
    connection.close()
    assert [(d.subject, d.message) for d in store.verify().damages] == [("schema", "attempts_stay is missing")]


def test_a_page_of_rubbish_is_reported_and_never_silently_used(path: Path, given: Any) -> None:
    with open_store(path) as store:
        for index in range(200):
            store.add_attempt(given.attempt(f"C{index:03}", text=f"{index}\n" * 100))
    data = bytearray(path.read_bytes())
    data[len(data) // 2 : -4096] = bytes(range(256)) * ((len(data) - len(data) // 2 - 4096) // 256)
    path.write_bytes(data)
    with open_store(path) as store:
        assert store.verify().damages != ()
        with pytest.raises(MemoryFileError) as caught:
            store.attempts(limit=1000)
    assert "damaged" in caught.value.message
    assert caught.value.remedy


def test_forgetting_a_workspace_wipes_its_contents_from_the_disk(path: Path, given: Any) -> None:
    with open_store(path) as store:
        store.add_attempt(given.attempt("C01", parent_text=SECRET, reason="secret_recipe is slow"))
        store.add_attempt(given.attempt("C02", workspace=OTHER, path=OTHER / "b.cu"))
        store.add_proposal(given.workspace, given.proposal(files=change(given.proposal().path, SECRET, ""), explanation="secret_recipe"))
        store.decide(given.decision(kind=DecisionKind.REJECTED, reason="secret_recipe stays"), OPEN)
        forgotten = store.forget(ForgetScope(workspace=given.workspace), now_ms=9)
        assert (forgotten.attempt_count, forgotten.proposal_count, forgotten.decision_count) == (1, 1, 1)
        assert forgotten.is_wiped_from_disk
        assert [a.id for a in store.attempts()] == ["C02"]
        assert store.proposals() == () and store.decisions() == ()
        report = store.verify()
        assert (report.damages, report.forgotten_count) == ((), 3)
    everything = b"".join(file.read_bytes() for file in path.parent.iterdir())
    assert b"secret_recipe" not in everything


def test_a_text_that_others_still_need_is_kept(store: MemoryStore, given: Any) -> None:
    store.add_attempt(given.attempt("C01"))
    store.add_attempt(given.attempt("C02", workspace=OTHER))
    store.forget(ForgetScope(workspace=given.workspace), now_ms=9)
    assert store.attempts()[0].parent_text == given.attempt().parent_text


def test_a_forgotten_text_can_be_stored_again(store: MemoryStore, given: Any) -> None:
    store.add_attempt(given.attempt("C01"))
    store.forget(ForgetScope(path=given.file), now_ms=9)
    store.add_attempt(given.attempt("C02"))
    assert store.attempts() == (given.attempt("C02"),)
    assert store.verify().damages == ()


def test_only_what_is_older_is_forgotten(store: MemoryStore, given: Any) -> None:
    store.add_attempt(given.attempt("C01", created_ms=1))
    store.add_attempt(given.attempt("C02", created_ms=5))
    store.forget(ForgetScope(before_ms=5), now_ms=9)
    assert [a.id for a in store.attempts()] == ["C02"]


def test_a_forgotten_proposal_is_named_as_such(store: MemoryStore, given: Any) -> None:
    store.add_proposal(given.workspace, given.proposal())
    store.forget(ForgetScope(workspace=given.workspace), now_ms=9)
    with pytest.raises(UsageError, match="P01 was forgotten"):
        store.find_proposal("P01")
    with pytest.raises(UsageError, match="no proposal P01"):
        store.decide(given.decision(), OPEN)


def test_forgetting_everything_must_be_said(store: MemoryStore) -> None:
    with pytest.raises(UsageError):
        store.forget(ForgetScope(), now_ms=9)
