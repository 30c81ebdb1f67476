"""What a search was asked with, kept and taken over by the one that goes on with it."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from assistant import serialize
from assistant.engine.request import JobRequest
from assistant.engine.run_options import difference, in_words, read_run_options, run_options, taken_over


def asked(folder: Path) -> JobRequest:
    return JobRequest(
        folder / "a.cu",
        folder,
        extra_sources=(folder / "b.cu",),
        cflags=("-DN=4", "-I a b"),
        arguments=("400", "2"),
        kernel="sum",
    )


def test_what_was_given_is_read_back_and_taken_over(tmp_path: Path) -> None:
    before = read_run_options(serialize.dumps(run_options(asked(tmp_path))))
    assert before is not None and before == run_options(asked(tmp_path))
    bare = JobRequest(tmp_path / "a.cu", tmp_path / "elsewhere")
    assert taken_over(bare, before) == asked(tmp_path)
    assert taken_over(replace(bare, kernel="mean"), before).kernel == "mean"
    assert difference(bare, before) == difference(asked(tmp_path), before) == difference(replace(bare, kernel="mean"), before) == ""
    assert in_words(before) == f"--kernel sum --cflags '-DN=4 '\"'\"'-I a b'\"'\"'' {tmp_path}/b.cu -- 400 2"
    assert in_words(run_options(bare)) == ""


def test_another_run_is_told_by_what_differs(tmp_path: Path) -> None:
    before, bare = run_options(asked(tmp_path)), JobRequest(tmp_path / "a.cu", tmp_path)
    assert difference(replace(bare, arguments=("100",)), before) == "its arguments were `400 2`, and `100` is given now"
    assert difference(replace(bare, run_command=("./a",)), before) == "it had no run command, and `./a` is given now"
    assert difference(replace(bare, cflags=("-DN=8",)), before).startswith("its compiler flags were `-DN=4 ")


def test_the_folder_that_is_gone_is_not_taken_over(tmp_path: Path) -> None:
    before = replace(run_options(asked(tmp_path)), working_directory=tmp_path / "gone")
    assert taken_over(asked(tmp_path), before).working_directory == tmp_path


def test_rows_of_other_versions_say_nothing() -> None:
    assert read_run_options(None) is None
    assert read_run_options("{}") is None
