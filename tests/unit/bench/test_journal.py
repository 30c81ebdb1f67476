"""A run on disk: rows outlast a kill, half a line does not count, and another run is not mixed in."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from assistant.bench.journal import BenchSettings, Journal
from assistant.bench.row import Row
from assistant.bench.suite_run import left_of
from assistant.bench.task import Task
from assistant.errors import CannotAnswerError, UsageError
from tests.unit.bench.conftest import MakeRow

SETTINGS = BenchSettings("/suite", device="cpu")


def test_rows_are_there_after_a_restart(tmp_path: Path, row: MakeRow) -> None:
    rows = (row("a", 2.0), row("b"))
    journal = Journal[BenchSettings, Row].begun(tmp_path / "out", SETTINGS)
    for each in rows:
        journal.add(each)
    assert Journal[BenchSettings, Row].resumed(tmp_path / "out", SETTINGS, Row).rows == rows


def test_half_a_line_is_dropped_and_written_over(tmp_path: Path, row: MakeRow) -> None:
    Journal[BenchSettings, Row].begun(tmp_path, SETTINGS).add(row("a"))
    with (tmp_path / "rows.jsonl").open("a") as file:
        file.write('{"name": "b", "argu')
    journal = Journal[BenchSettings, Row].resumed(tmp_path, SETTINGS, Row)
    journal.add(row("c"))
    assert [each.name for each in Journal[BenchSettings, Row].resumed(tmp_path, SETTINGS, Row).rows] == ["a", "c"]


def test_a_row_of_the_same_title_takes_the_place_of_the_earlier_one(tmp_path: Path, row: MakeRow) -> None:
    journal = Journal[BenchSettings, Row].begun(tmp_path, SETTINGS)
    journal.add(row("a"))
    journal.add(row("a", 2.0))
    assert journal.rows == Journal[BenchSettings, Row].resumed(tmp_path, SETTINGS, Row).rows == (row("a", 2.0),)


def test_a_run_is_not_begun_over_another(tmp_path: Path) -> None:
    Journal[BenchSettings, Row].begun(tmp_path, SETTINGS)
    with pytest.raises(UsageError, match="holds the results of a run already"):
        Journal[BenchSettings, Row].begun(tmp_path, SETTINGS)


def test_a_run_goes_on_only_as_it_was_started(tmp_path: Path) -> None:
    Journal[BenchSettings, Row].begun(tmp_path, SETTINGS)
    with pytest.raises(UsageError, match="device was 'cpu', is 'gpu:0'"):
        Journal[BenchSettings, Row].resumed(tmp_path, replace(SETTINGS, device="gpu:0"), Row)


def test_there_must_be_a_run_to_resume(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="nothing to resume"):
        Journal[BenchSettings, Row].resumed(tmp_path, SETTINGS, Row)
    (tmp_path / "rows.jsonl").write_text("not JSON\n")
    with pytest.raises(UsageError, match="cannot be read"):
        Journal[BenchSettings, Row].resumed(tmp_path, SETTINGS, Row)


def test_a_place_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(CannotAnswerError, match="cannot be made"):
        Journal[BenchSettings, Row].begun(tmp_path / "file" / "out", SETTINGS)


def test_finished_tasks_are_left_out_unless_their_texts_changed(tmp_path: Path, row: MakeRow) -> None:
    journal = Journal[BenchSettings, Row].begun(tmp_path, SETTINGS)
    journal.add(row("a"))
    tasks = (Task("a", (Path("a.cu"),), ("96",)), Task("a", (Path("a.cu"),), ("512",)), Task("b", (Path("b.cu"),), ("96",)))
    assert [task.title for task in left_of(tasks, journal, lambda _: "5a")] == ["a 512", "b 96"]
    assert left_of(tasks, journal, lambda _: "6b") == tasks
