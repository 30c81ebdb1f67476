"""What jobs say of files that nobody has open: kept by the source that was asked about, for as long as the file stays as it was."""

from __future__ import annotations

from pathlib import Path

import pytest

from assistant.editor.tasks import Task, Verb
from assistant.editor.unopened import UnopenedFiles
from assistant.engine import JobRequest
from assistant.model.events import CheckEnded, Event, JobStarted
from assistant.model.profile import Problem

HEADER = "#pragma once\n__global__ void grow(float *v) { v[0] = 1; }\n"


@pytest.fixture
def header(tmp_path: Path) -> Path:
    path = tmp_path / "ops.cuh"
    path.write_text(HEADER)
    return path


def told(header: Path) -> tuple[Event, ...]:
    problem = Problem("out_of_bounds", "it writes behind its buffer", str(header), 2, None, None, None, None, None, 1)
    return (
        JobStarted("J", "check", str(header.with_name("main.cu")), "CPU", "no GPU"),
        CheckEnded("J", "grow(float *)", (problem,), True, 1, file=str(header)),
    )


def asked(header: Path, kernel: str | None = None) -> Task:
    return Task(Verb.CHECK, JobRequest(header.with_name("main.cu"), header.parent, kernel=kernel))


def notes(files: UnopenedFiles) -> dict[str, list[tuple[str, int]]]:
    return {path.name: [(each.note.message, each.note.line) for each in file.notes] for path, file in files.of("main").items()}


def test_problems_are_kept_by_file_until_the_source_is_closed(header: Path) -> None:
    files = UnopenedFiles()
    assert files.take("main", asked(header), told(header), lambda path: False)
    assert notes(files) == {"ops.cuh": [("it writes behind its buffer", 2)]}
    assert files.of("main")[header].text == HEADER
    files.forget("main")
    assert notes(files) == {}


def test_a_file_that_is_open_or_gone_is_left_out_and_so_is_an_answer_on_one_kernel(header: Path) -> None:
    files = UnopenedFiles()
    assert not files.take("main", asked(header), told(header), lambda path: path == header)
    assert not files.take("main", asked(header, "grow"), told(header), lambda path: False)
    reported = told(header)
    header.unlink()
    assert not files.take("main", asked(header), reported, lambda path: False)
    assert notes(files) == {}


def test_a_file_that_changed_is_no_longer_spoken_of(header: Path) -> None:
    files = UnopenedFiles()
    files.take("main", asked(header), told(header), lambda path: False)
    assert files.changed((header.with_name("other.cuh"),)) == ()
    assert files.changed((header,)) == ("main",)
    assert notes(files) == {}


def test_the_next_answer_takes_the_place_of_the_last(header: Path) -> None:
    files = UnopenedFiles()
    files.take("main", asked(header), told(header), lambda path: False)
    assert files.take("main", asked(header), told(header)[:1], lambda path: False), "what was shown is taken back"
    assert notes(files) == {}
