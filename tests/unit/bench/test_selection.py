"""Which tasks are run: by suite.toml or by what is found, by name, size and number."""

from __future__ import annotations

from pathlib import Path

import pytest

from assistant.bench.selection import TaskChoice, chosen_tasks
from assistant.bench.words import left_out_words
from assistant.errors import UsageError

KERNEL = "__global__ void k(float *x) { x[0] = 1; }\n"
MAIN = "int main() { k<<<1, 1>>>(nullptr); }\n"
SUITE = """[[program]]
name = "a"
files = ["a.cu"]
parameters = ["n"]
sizes = [[8], [16], [32]]
bytes = "4*n"

[[program]]
name = "b"
files = ["b.cu"]
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / ".git").mkdir()
    for name in ("a", "b"):
        (tmp_path / f"{name}.cu").write_text(KERNEL + MAIN)
    return tmp_path


def titles(folder: Path, **choice: object) -> list[str]:
    return [task.title for task in chosen_tasks(folder, TaskChoice(**choice)).tasks]  # type: ignore[arg-type]


def test_each_source_with_main_is_a_program(folder: Path) -> None:
    (folder / "deep").mkdir()
    (folder / "deep" / "c.cu").write_text(KERNEL + MAIN)
    (folder / "lone.cu").write_text(KERNEL)
    (folder / ".hidden").mkdir()
    (folder / ".hidden" / "d.cu").write_text(KERNEL + MAIN)
    assert titles(folder) == ["a", "b", "deep/c"]


def test_a_program_in_several_files_is_one(folder: Path) -> None:
    (folder / "kernels.cuh").write_text("#pragma once\nvoid run();\n")
    (folder / "kernels.cu").write_text('#include "kernels.cuh"\n' + KERNEL + "void run() { k<<<1, 1>>>(nullptr); }\n")
    (folder / "host.cu").write_text('#include "kernels.cuh"\nint main() { run(); }\n')
    assert titles(folder) == ["a", "b", "host"]


def test_a_source_that_cannot_be_read_is_a_task_that_will_say_so(folder: Path) -> None:
    (folder / "c.cu").write_bytes(b"\x7fELF\0\0")
    assert titles(folder) == ["a", "b", "c"]


def test_arguments_are_given_where_no_suite_names_sizes(folder: Path) -> None:
    assert titles(folder, sizes="8,16 'x y'", names=("a",)) == ["a 8", "a 16 x y"]


@pytest.mark.parametrize(
    ("sizes", "expected"),
    [
        (None, ["a 8", "b"]),
        ("smallest", ["a 8", "b"]),
        ("largest", ["a 32", "b"]),
        ("all", ["a 8", "a 16", "a 32", "b"]),
        ("1", ["a 8", "b"]),
    ],
)
def test_a_suite_names_programs_and_sizes(folder: Path, sizes: str | None, expected: list[str]) -> None:
    (folder / "suite.toml").write_text(SUITE)
    assert titles(folder, sizes=sizes) == expected


def test_a_limit_counts_programs_not_sizes(folder: Path) -> None:
    (folder / "suite.toml").write_text(SUITE)
    assert titles(folder, sizes="all", limit=1) == ["a 8", "a 16", "a 32"]
    assert titles(folder, sizes="2,3", names=("a",)) == ["a 16", "a 32"]


@pytest.mark.parametrize(
    ("choice", "words"),
    [
        ({"names": ("c",)}, "no program called c"),
        ({"sizes": "4", "names": ("a",)}, "a has no size '4'"),
        ({"sizes": "huge"}, "no size 'huge'"),
        ({"sizes": "0"}, "no size '0'"),
    ],
)
def test_what_does_not_exist_is_refused_by_name(folder: Path, choice: dict[str, object], words: str) -> None:
    (folder / "suite.toml").write_text(SUITE)
    with pytest.raises(UsageError, match=words):
        titles(folder, **choice)


def test_arguments_with_an_open_quote_are_refused(folder: Path) -> None:
    with pytest.raises(UsageError, match="cannot be split"):
        titles(folder, sizes="'8")


def test_a_folder_without_programs_is_refused(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("none here")
    with pytest.raises(UsageError, match="there is no program below"):
        titles(tmp_path)


def test_sources_that_no_program_runs_are_named(tmp_path: Path) -> None:
    for name, text in (("a", KERNEL + MAIN), ("b/alone", KERNEL), ("empty", "")):
        (tmp_path / f"{name}.cu").parent.mkdir(exist_ok=True)
        (tmp_path / f"{name}.cu").write_text(text)
    left_out = chosen_tasks(tmp_path, TaskChoice()).left_out
    assert list(left_out_words(left_out)) == [
        "2 sources are left out, as no program runs them (no main(), no declared workload): b/alone.cu, empty.cu"
    ]
    assert not list(left_out_words(()))
