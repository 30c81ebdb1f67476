"""Which files of a folder are sources, and what is not looked into."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from assistant.disk import sources
from assistant.disk.patterns import matching
from assistant.disk.sources import source_files


def _write(folder: Path, *names: str) -> None:
    for name in names:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text("x")


def _found(folder: Path) -> list[str]:
    return [str(path.relative_to(folder)) for path in source_files(folder, frozenset({".cu", ".h"}), 100)]


def test_sources_are_found_nearest_to_the_top_first(tmp_path: Path) -> None:
    _write(tmp_path, "z.cu", "a/deep/b.cu", "a/c.H", "readme.md", "a/cu")
    assert _found(tmp_path) == ["z.cu", "a/c.H", "a/deep/b.cu"]


@pytest.mark.parametrize(
    "name", [".git/a.cu", ".hidden.cu", "node_modules/m/a.cu", "venv/a.cu", "lib/site-packages/a.cu", "b/CMakeFiles/a.cu"]
)
def test_some_folders_are_not_entered(tmp_path: Path, name: str) -> None:
    _write(tmp_path, name)
    assert _found(tmp_path) == []


@pytest.mark.parametrize("mark", ["CMakeCache.txt", "pyvenv.cfg"])
def test_folders_of_builds_and_environments_are_not_entered(tmp_path: Path, mark: str) -> None:
    _write(tmp_path, f"made/{mark}", "made/src/a.cu", "build/b.cu", mark)
    assert _found(tmp_path) == ["build/b.cu"]


def test_loops_pipes_and_what_lies_elsewhere_are_left_out(tmp_path: Path) -> None:
    root, elsewhere = tmp_path / "root", tmp_path / "elsewhere"
    _write(root, "src/a.cu")
    _write(elsewhere, "b.cu", "c.cu")
    (root / "src" / "again").symlink_to(root)
    (root / "outside").symlink_to(elsewhere)
    (root / "twice.cu").symlink_to(root / "src" / "a.cu")
    (root / "loop.cu").symlink_to(root / "loop.cu")
    (root / "linked.cu").symlink_to(elsewhere / "c.cu")
    os.mkfifo(root / "pipe.cu")
    (root / "long.cu").write_text("x" * 101)
    assert _found(root) == ["linked.cu", "src/a.cu"]


def test_a_folder_that_cannot_be_read_holds_nothing(tmp_path: Path) -> None:
    assert _found(tmp_path / "missing") == []


def test_a_folder_without_end_is_looked_at_in_part(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sources, "_MOST_ENTRIES", 10)
    _write(tmp_path, *(f"{number:02}/a.cu" for number in range(30)))
    assert len(_found(tmp_path)) < 10


@pytest.mark.parametrize(
    ("pattern", "names"),
    [
        ("*.cu", ["a.cu"]),
        ("src/*.cu", ["src/b.cu", "src/c.cu"]),
        ("src/[b]?cu", ["src/b.cu"]),
        ("**/*.cu", ["a.cu", "src/b.cu", "src/c.cu", "src/deep/d.cu"]),
        ("./src/../src/c.cu*", ["src/c.cu"]),
        ("*/deep/*", ["src/deep/d.cu"]),
        ("src", []),
        ("**", ["a.cu", "note.txt", "src/b.cu", "src/c.cu", "src/deep/d.cu"]),
        ("none/*.cu", []),
    ],
)
def test_a_pattern_stands_for_files(tmp_path: Path, pattern: str, names: list[str]) -> None:
    _write(tmp_path, "a.cu", "note.txt", "src/b.cu", "src/c.cu", "src/deep/d.cu", ".hidden/e.cu", "src/.f.cu")
    (tmp_path / "src" / "deep" / "loop").symlink_to(tmp_path)
    assert [os.path.relpath(path.resolve(), tmp_path) for path in matching(tmp_path, pattern)] == names
