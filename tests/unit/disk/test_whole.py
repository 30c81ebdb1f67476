"""Files that are written whole or stay as they were."""

from __future__ import annotations

import os
import stat
import threading
from pathlib import Path

import pytest

from assistant.disk.whole import replacing, write_whole


def test_a_file_is_replaced_and_nothing_else_stays(tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    write_whole(path, "first")
    write_whole(path, b"\x00second")
    assert path.read_bytes() == b"\x00second"
    assert [one.name for one in tmp_path.iterdir()] == ["a.json"]


def test_what_cannot_be_finished_leaves_the_file_as_it_was(tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    write_whole(path, "first")
    with pytest.raises(UnicodeEncodeError):
        write_whole(path, "half \ud800")
    with pytest.raises(KeyboardInterrupt):
        _interrupted(path)
    with pytest.raises(FileNotFoundError), replacing(path):
        pass
    assert path.read_text() == "first"
    assert [one.name for one in tmp_path.iterdir()] == ["a.json"]


def _interrupted(path: Path) -> None:
    with replacing(path) as partial:
        partial.write_text("half")
        raise KeyboardInterrupt


def test_a_folder_in_its_place_is_an_error_and_stays(tmp_path: Path) -> None:
    (tmp_path / "a.json" / "kept").mkdir(parents=True)
    with pytest.raises(OSError, match="directory"):
        write_whole(tmp_path / "a.json", "text")
    assert sorted(one.name for one in tmp_path.rglob("*")) == ["a.json", "kept"]


def test_others_read_it_where_the_user_lets_them_and_not_where_it_is_private(tmp_path: Path) -> None:
    before = os.umask(0o022)
    try:
        write_whole(tmp_path / "shared", "text")
        write_whole(tmp_path / "private", "text", mode=0o600)
    finally:
        os.umask(before)
    modes = {one.name: stat.S_IMODE(one.stat().st_mode) for one in tmp_path.iterdir()}
    assert modes == {"shared": 0o644, "private": 0o600}


def test_a_lasting_file_is_on_the_disk_before_it_has_its_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path, found = tmp_path / "a.json", list[tuple[int, bool]]()

    def synced(descriptor: int) -> None:
        found.append((os.fstat(descriptor).st_size, path.exists()))

    monkeypatch.setattr(os, "fsync", synced)
    write_whole(path, "text")
    assert not found
    path.unlink()
    write_whole(path, "text", is_lasting=True)
    assert found == [(4, False)]


def test_many_writers_and_a_reader_who_only_finds_whole_files(tmp_path: Path) -> None:
    path, texts = tmp_path / "a.json", [letter * 200_000 for letter in "abcd"]
    write_whole(path, texts[0])
    writers = [threading.Thread(target=_written_often, args=(path, text)) for text in texts]
    for writer in writers:
        writer.start()
    while any(writer.is_alive() for writer in writers):
        assert path.read_text() in texts
    assert [one.name for one in tmp_path.iterdir()] == ["a.json"]


def _written_often(path: Path, text: str) -> None:
    for _ in range(20):
        write_whole(path, text)
