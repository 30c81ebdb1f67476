"""Which program a person chose for a file."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from assistant.errors import CannotAnswerError
from assistant.program import choose_program, chosen_program


def test_a_choice_holds_for_its_file_until_another_is_made(tmp_path: Path) -> None:
    assert chosen_program(tmp_path / "a.cuh", tmp_path, ()) is None
    choose_program(tmp_path / "a.cuh", tmp_path, "bench.cu")
    choose_program(tmp_path / "b.cuh", tmp_path, "check.cu")
    choose_program(tmp_path / "a.cuh", tmp_path, "main.cu")
    assert [chosen_program(tmp_path / name, tmp_path, ()) for name in ("a.cuh", "b.cuh", "c.cuh")] == ["main.cu", "check.cu", None]
    choose_program(tmp_path / "a.cuh", tmp_path, None)
    assert [chosen_program(tmp_path / name, tmp_path, ()) for name in ("a.cuh", "b.cuh")] == [None, "check.cu"]


def test_it_is_kept_where_version_control_does_not_look(tmp_path: Path) -> None:
    choose_program(tmp_path / "a.cuh", tmp_path, "main.cu")
    assert (tmp_path / ".kernelopt" / ".gitignore").read_text() == "*\n"
    assert {path.name for path in (tmp_path / ".kernelopt").iterdir()} - {"programs.json.lock"} == {".gitignore", "programs.json"}


def test_looking_writes_nothing(tmp_path: Path) -> None:
    chosen_program(tmp_path / "a.cuh", tmp_path, ())
    assert list(tmp_path.iterdir()) == []


def test_a_file_is_the_same_by_a_link(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "real")
    choose_program(tmp_path / "link" / "a.cuh", tmp_path / "link", "main.cu")
    assert chosen_program(tmp_path / "real" / "a.cuh", tmp_path / "real", ()) == "main.cu"


@pytest.mark.parametrize("text", ["", "[]", '{"a.cuh": 3}', "[" * 100_000, "\xff"])
def test_damaged_choices_are_said_with_what_to_do(tmp_path: Path, text: str) -> None:
    (tmp_path / ".kernelopt").mkdir()
    (tmp_path / ".kernelopt" / "programs.json").write_bytes(text.encode("latin-1"))
    with pytest.raises(CannotAnswerError, match="is damaged") as caught:
        chosen_program(tmp_path / "a.cuh", tmp_path, ())
    assert caught.value.remedy.startswith("delete it")
    with pytest.raises(CannotAnswerError, match="is damaged"):
        choose_program(tmp_path / "a.cuh", tmp_path, "main.cu")


def test_a_pipe_in_its_place_is_said(tmp_path: Path) -> None:
    (tmp_path / ".kernelopt").mkdir()
    os.mkfifo(tmp_path / ".kernelopt" / "programs.json")
    with pytest.raises(CannotAnswerError, match="cannot be read: it is a named pipe"):
        chosen_program(tmp_path / "a.cuh", tmp_path, ())


def test_a_folder_that_cannot_be_written_is_said(tmp_path: Path) -> None:
    (tmp_path / ".kernelopt").write_text("")
    with pytest.raises(CannotAnswerError, match="the choice cannot be kept") as caught:
        choose_program(tmp_path / "a.cuh", tmp_path, "main.cu")
    assert "writable" in caught.value.remedy


def test_a_program_that_was_chosen_for_another_file_is_meant_here_too(tmp_path: Path) -> None:
    choose_program(tmp_path / "a.cuh", tmp_path, "main.cu")
    of_both, of_others = ("bench.cu", "main.cu"), ("bench.cu", "check.cu")
    assert [chosen_program(tmp_path / "b.cuh", tmp_path, found) for found in (of_both, of_others)] == ["main.cu", None]
    choose_program(tmp_path / "c.cuh", tmp_path, "bench.cu")
    assert chosen_program(tmp_path / "b.cuh", tmp_path, of_both) is None, "unclear again"
    choose_program(tmp_path / "b.cuh", tmp_path, "bench.cu")
    assert chosen_program(tmp_path / "b.cuh", tmp_path, of_both) == "bench.cu", "its own choice comes first"
