"""Writing a user's file: whole or not at all."""

import errno
import os
import stat
from pathlib import Path

import pytest

from assistant.engine.files import replace_text
from assistant.errors import CannotAnswerError


@pytest.mark.parametrize("mode", [0o640, 0o777])
def test_the_text_is_replaced_and_the_permissions_stay(tmp_path: Path, mode: int) -> None:
    path = tmp_path / "k.cu"
    path.write_text("old")
    path.chmod(mode)
    replace_text(path, "new\n")
    assert path.read_text() == "new\n"
    assert stat.S_IMODE(path.stat().st_mode) == mode
    assert list(tmp_path.iterdir()) == [path]


def test_a_link_stays_a_link(tmp_path: Path) -> None:
    real, link = tmp_path / "real.cu", tmp_path / "link.cu"
    real.write_text("old")
    link.symlink_to(real)
    replace_text(link, "new")
    assert link.is_symlink()
    assert real.read_text() == "new"


def test_a_full_disk_leaves_the_old_text_and_no_rest(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "k.cu"
    path.write_text("old")

    def full(_: int) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(CannotAnswerError, match="the disk is full"):
        replace_text(path, "new")
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]


def test_a_read_only_file_and_any_other_error_leave_the_old_text(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "k.cu"
    path.write_text("old")
    with monkeypatch.context() as patched:
        patched.setattr(os, "access", lambda target, mode: not (target == path and mode == os.W_OK))
        with pytest.raises(CannotAnswerError, match=r"k\.cu is read-only"):
            replace_text(path, "new")
    for code, words in ((errno.EDQUOT, "the disk is full"), (errno.EIO, "broken")):

        def fails(_: int, number: int = code) -> None:
            raise OSError(number, "broken")

        monkeypatch.setattr(os, "fsync", fails)
        with pytest.raises(CannotAnswerError, match=f"was not changed: {words}"):
            replace_text(path, "new")
    assert path.read_text() == "old" and list(tmp_path.iterdir()) == [path]
