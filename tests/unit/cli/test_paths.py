"""A file has one name, however the command line spells it."""

from __future__ import annotations

from pathlib import Path

import pytest

from assistant.cli.paths import plain_path


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "a" / "deep").mkdir(parents=True)
    (tmp_path / "b.cu").touch()
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize("spelling", ["b.cu", "./b.cu", "a/../b.cu", "a/deep/../../b.cu"])
def test_dots_are_taken_out(folder: Path, spelling: str) -> None:
    assert plain_path(Path(spelling)) == folder / "b.cu"


def test_a_file_that_does_not_exist_is_named_plainly_too(folder: Path) -> None:
    assert plain_path(Path("a/../missing.cu")) == folder / "missing.cu"


def test_a_link_stays_a_link(folder: Path) -> None:
    (folder / "link.cu").symlink_to("b.cu")
    assert plain_path(Path("a/../link.cu")) == folder / "link.cu"


def test_dots_behind_a_linked_folder_keep_their_meaning(folder: Path) -> None:
    (folder / "deep").symlink_to("a/deep")
    (folder / "a" / "b.cu").touch()
    assert plain_path(Path("deep/../b.cu")).samefile(folder / "a" / "b.cu")
