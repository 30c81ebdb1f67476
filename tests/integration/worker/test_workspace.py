"""The private copy of a folder is kept from run to run, and is as the user's folder at the start of each."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from assistant.worker.workspace import FolderTooLarge, PrivateCopy, Workspace


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = tmp_path / "user" / "project"
    (folder / "sub").mkdir(parents=True)
    (folder / "input.txt").write_text("input")
    (folder / "sub" / "old.txt").write_text("old")
    (folder / "link").symlink_to("input.txt")
    (tmp_path / "user" / "neighbour.txt").write_text("near")
    return folder


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    return Workspace(tmp_path / "files")


def whole(copy: PrivateCopy | FolderTooLarge) -> Path:
    assert isinstance(copy, PrivateCopy)
    return copy.path


def contents(folder: Path) -> dict[str, str]:
    return {str(path.relative_to(folder)): path.read_text() for path in folder.rglob("*") if path.is_file()}


def inodes(folder: Path) -> dict[str, int]:
    return {str(path.relative_to(folder)): path.lstat().st_ino for path in folder.rglob("*")}


def test_a_copy_that_no_program_changed_is_used_again(workspace: Workspace, folder: Path) -> None:
    with workspace.copy_of(folder) as copy:
        first = inodes(whole(copy))
    with workspace.copy_of(folder) as copy:
        assert inodes(whole(copy)) == first
        assert contents(whole(copy)) == contents(folder)


CHANGES: dict[str, Callable[[Path], object]] = {
    "overwrite": lambda place: (place / "input.txt").write_text("spoilt"),
    "overwrite with as many bytes": lambda place: (place / "input.txt").write_text("INPUT"),
    "overwrite and set the old time": lambda place: _with_time_kept(place / "input.txt", "INPUT"),
    "remove a file": lambda place: (place / "input.txt").unlink(),
    "remove a folder": lambda place: ((place / "sub" / "old.txt").unlink(), (place / "sub").rmdir()),
    "replace a folder": lambda place: ((place / "sub").rename(place / "moved"), (place / "sub").mkdir()),
    "replace a file by a folder": lambda place: ((place / "input.txt").unlink(), (place / "input.txt").mkdir()),
    "replace a file by a link": lambda place: ((place / "input.txt").unlink(), (place / "input.txt").symlink_to("/dev/null")),
    "add a file": lambda place: (place / "sub" / "new.txt").write_text("new"),
    "add a folder": lambda place: (place / "new" / "deep").mkdir(parents=True),
    "turn a link": lambda place: ((place / "link").unlink(), (place / "link").symlink_to("sub/old.txt")),
    "swap files": lambda place: _swap(place / "input.txt", place / "sub" / "old.txt"),
    "write next to the folder": lambda place: (place.parent / "new.txt").write_text("new"),
    "turn a neighbour": lambda place: ((place.parent / "neighbour.txt").unlink(), (place.parent / "neighbour.txt").write_text("far")),
    "remove all": lambda place: _remove_tree(place.parent),
}


def _with_time_kept(path: Path, text: str) -> None:
    before = path.stat()
    path.write_text(text)
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))


def _swap(one: Path, other: Path) -> None:
    one.rename(one.with_name("spare"))
    other.rename(one)
    one.with_name("spare").rename(other)


def _remove_tree(folder: Path) -> None:
    for path in sorted(folder.rglob("*"), reverse=True):
        path.rmdir() if path.is_dir() and not path.is_symlink() else path.unlink()


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES)
def test_what_one_run_changed_the_next_does_not_see(workspace: Workspace, folder: Path, change: Callable[[Path], object]) -> None:
    with workspace.copy_of(folder) as copy:
        change(whole(copy))
    with workspace.copy_of(folder) as copy:
        assert contents(whole(copy)) == contents(folder)
        assert {path.name for path in whole(copy).iterdir()} == {"input.txt", "sub", "link"}
        assert contents(whole(copy).parent) == contents(folder.parent)
    assert (folder / "input.txt").read_text() == "input"


def test_what_the_user_changes_the_next_run_sees(workspace: Workspace, folder: Path) -> None:
    with workspace.copy_of(folder):
        pass
    (folder / "input.txt").write_text("other")
    (folder / "sub" / "old.txt").unlink()
    (folder / "sub").rmdir()
    (folder / "sub").write_text("now a file")
    (folder.parent / "added.txt").write_text("added")
    with workspace.copy_of(folder) as copy:
        assert contents(whole(copy)) == contents(folder)
        assert (whole(copy).parent / "added.txt").read_text() == "added"


def test_another_folder_replaces_the_first(workspace: Workspace, folder: Path) -> None:
    with workspace.copy_of(folder) as copy:
        first = whole(copy)
    with workspace.copy_of(folder.parent) as copy:
        assert contents(whole(copy)) == contents(folder.parent)
        (whole(copy) / "neighbour.txt").write_text("spoilt")
    assert first.is_dir()
    assert (folder.parent / "neighbour.txt").read_text() == "near"


def test_what_a_run_left_is_gone_after_it(workspace: Workspace, folder: Path) -> None:
    with workspace.copy_of(folder) as copy:
        place = whole(copy)
        (place / "large.bin").write_bytes(b"x")
    assert not (place / "large.bin").exists()


def test_a_copy_that_cannot_be_restored_is_made_anew(workspace: Workspace, folder: Path) -> None:
    with workspace.copy_of(folder) as copy:
        place = whole(copy)
    for path in (place / "input.txt", place / "sub" / "old.txt"):
        path.unlink()  # behind the workspace's back
    (folder / "input.txt").write_text("changed")
    with workspace.copy_of(folder) as copy:
        assert contents(whole(copy)) == contents(folder)


def test_a_folder_too_large_for_a_copy_is_run_in_as_it_is_and_only_read(tmp_path: Path, folder: Path) -> None:
    workspace = Workspace(tmp_path / "files", most_entries=3)
    with workspace.folder_to_run_in(folder) as place:
        assert (place.path, place.writable) == (folder, ())
        assert "more than 3 entries" in place.notes[0]
        assert workspace.root.is_dir(), "what is allowed to be written must exist"
    with Workspace(tmp_path / "others").folder_to_run_in(folder) as place:
        assert contents(place.path) == contents(folder) and place.path.is_relative_to(*place.writable)


def built(copy: PrivateCopy | FolderTooLarge) -> Path:
    """The copy, after a build that edits a text, makes a program and removes a file."""
    place = whole(copy)
    (place / "input.txt").write_text("edited")
    (place / "out").mkdir()
    (place / "out" / "program").write_text("#!/bin/sh\n")
    (place / "out" / "program").chmod(0o755)
    (place / "out" / "latest").symlink_to("program")
    (place / "sub" / "old.txt").unlink()
    return place


def test_what_a_build_left_is_there_for_the_next_run_with_the_same_key(workspace: Workspace, folder: Path, tmp_path: Path) -> None:
    with workspace.copy_of(folder, "a") as copy:
        place = built(copy)
        left = {str(path.relative_to(place)): path.lstat().st_mtime_ns for path in place.rglob("*") if not path.is_dir()}
        workspace.keep("a")
        (place / "out" / "program").write_text("what the program does afterwards")
    (tmp_path / "another.txt").write_text("a neighbour that came later")
    with workspace.copy_of(folder, "b") as copy:
        assert isinstance(copy, PrivateCopy) and not copy.is_built
        assert contents(copy.path) == contents(folder)
    with workspace.copy_of(folder, "a") as copy:
        assert isinstance(copy, PrivateCopy) and copy.is_built
        place = copy.path
        found = {
            str(path.relative_to(place)): path.lstat().st_mtime_ns for path in place.rglob("*") if not path.is_symlink() and path.is_file()
        }
        assert found == {name: left[name] for name in ("input.txt", "out/program")}, "a build that looks at times makes nothing anew"
        assert (place / "input.txt").read_text() == "edited" and not (place / "sub" / "old.txt").exists()
        assert os.access(place / "out" / "program", os.X_OK) and (place / "out" / "latest").read_text() == "#!/bin/sh\n"
        assert (place.parents[1] / "another.txt").is_symlink()
        (place / "out" / "program").unlink()
    with workspace.copy_of(folder, "a") as copy:
        assert (whole(copy) / "out" / "program").read_text() == "#!/bin/sh\n"
    assert contents(folder) == {"input.txt": "input", "link": "input", "sub/old.txt": "old"}


def test_a_kept_build_is_not_used_once_the_folder_has_changed(workspace: Workspace, folder: Path) -> None:
    with workspace.copy_of(folder, "a") as copy:
        built(copy)
        workspace.keep("a")
    (folder / "sub" / "old.txt").write_text("new")
    with workspace.copy_of(folder, "a") as copy:
        assert isinstance(copy, PrivateCopy) and not copy.is_built
        assert contents(copy.path) == contents(folder)


def test_only_the_last_builds_are_kept(workspace: Workspace, folder: Path, tmp_path: Path) -> None:
    for number in range(8):
        with workspace.copy_of(folder, str(number)) as copy:
            built(copy)
            workspace.keep(str(number))
    kept: list[bool] = []
    for number in range(8):
        with workspace.copy_of(folder, str(number)) as copy:
            assert isinstance(copy, PrivateCopy)
            kept.append(copy.is_built)
    assert kept == [False] * 4 + [True] * 4
    assert len(list(tmp_path.glob("built-*"))) == 4


def test_a_build_that_is_too_large_is_made_anew(workspace: Workspace, folder: Path, tmp_path: Path) -> None:
    with workspace.copy_of(folder, "a") as copy, (whole(copy) / "huge").open("wb") as file:
        file.truncate(1 << 30)
        workspace.keep("a")
    with workspace.copy_of(folder, "a") as copy:
        assert isinstance(copy, PrivateCopy) and not copy.is_built
    assert not list(tmp_path.glob("built-*"))
