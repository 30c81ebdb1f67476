"""Writing a user's files: whole or not at all, all or none."""

import errno
import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest
from filelock import FileLock

from assistant.engine import files
from assistant.engine.files import PutBack, put_back_half_written, replace_text, replace_texts
from assistant.errors import CannotAnswerError
from assistant.model.source import Source


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
    with pytest.raises(CannotAnswerError, match=r"^.*the disk is full"):
        replace_text(path, "new")
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]


def test_a_read_only_file_and_any_other_error_leave_the_old_text(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "k.cu"
    path.write_text("old")
    with monkeypatch.context() as patched:
        patched.setattr(os, "access", lambda target, mode: not (target == path and mode == os.W_OK))
        with pytest.raises(CannotAnswerError, match=r"^.*k\.cu is read-only"):
            replace_text(path, "new")
    for code, words in ((errno.EDQUOT, "the disk is full"), (errno.EIO, "broken")):

        def fails(_: int, number: int = code) -> None:
            raise OSError(number, "broken")

        monkeypatch.setattr(os, "fsync", fails)
        with pytest.raises(CannotAnswerError, match=f"^.*was not changed: {words}"):
            replace_text(path, "new")
    assert path.read_text() == "old" and list(tmp_path.iterdir()) == [path]


OLD, NEW = "old\n", "new\n"


@pytest.fixture
def two(tmp_path: Path) -> tuple[Path, Path]:
    folder = tmp_path / "p"
    folder.mkdir()
    for name in ("a.cu", "b.cuh"):
        (folder / name).write_text(OLD)
    return folder / "a.cu", folder / "b.cuh"


def texts(paths: tuple[Path, ...], text: str) -> tuple[Source, ...]:
    return tuple(Source(path, text) for path in paths)


def test_several_files_are_written_and_nothing_is_left_of_it(two: tuple[Path, Path], tmp_path: Path) -> None:
    note = tmp_path / "first" / "use" / "note.json"
    replace_texts(texts(two, OLD), texts(two, NEW), note)
    assert [path.read_text() for path in two] == [NEW, NEW]
    assert sorted(two[0].parent.iterdir()) == list(two) and not note.exists()


@pytest.mark.parametrize("what", ["changed", "gone", "read-only"])
def test_one_file_that_cannot_be_written_keeps_all_as_they_are(
    two: tuple[Path, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, what: str
) -> None:
    if what == "read-only":
        monkeypatch.setattr(os, "access", lambda target, _: target != two[1])
    elif what == "gone":
        two[1].unlink()
    else:
        two[1].write_text("a person's\n")
    with pytest.raises(CannotAnswerError, match=r"^.*b\.cuh"):
        replace_texts(texts(two, OLD), texts(two, NEW), tmp_path / "note.json")
    assert two[0].read_text() == OLD and not (tmp_path / "note.json").exists()
    assert not [path for path in two[0].parent.iterdir() if path not in two]


def test_a_disk_that_fails_at_the_second_file_leaves_the_first_as_it_was(
    two: tuple[Path, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rename = Path.replace

    def fails(path: Path, target: Path) -> Path:
        if target == two[1]:
            raise OSError(errno.EIO, "broken")
        return rename(path, target)

    monkeypatch.setattr(Path, "replace", fails)
    with pytest.raises(CannotAnswerError, match=r"^.*b\.cuh was not changed: broken"):
        replace_texts(texts(two, OLD), texts(two, NEW), tmp_path / "note.json")
    assert [path.read_text() for path in two] == [OLD, OLD]
    assert sorted(two[0].parent.iterdir()) == list(two) and not (tmp_path / "note.json").exists()


DIES = """
import os, sys
from pathlib import Path
from assistant.engine.files import replace_texts
from assistant.model.source import Source
rename, (a, b, note) = Path.replace, map(Path, sys.argv[1:])
Path.replace = lambda path, target: os._exit(7) if target == b else rename(path, target)
replace_texts((Source(a, "old\\n"), Source(b, "old\\n")), (Source(a, "new\\n"), Source(b, "new\\n")), note)
"""


@pytest.fixture
def half(two: tuple[Path, Path], tmp_path: Path) -> Path:
    """The note of a process that died after it had written the first of two files."""
    note = tmp_path / "note.json"
    assert subprocess.run((sys.executable, "-c", DIES, *map(str, two), str(note)), check=False).returncode == 7
    assert [path.read_text() for path in two] == [NEW, OLD]
    return note


def test_what_a_process_that_died_left_half_written_is_put_back(half: Path, two: tuple[Path, Path]) -> None:
    assert put_back_half_written(half) == PutBack((two[0],), ())
    assert [path.read_text() for path in two] == [OLD, OLD]
    assert sorted(two[0].parent.iterdir()) == list(two) and put_back_half_written(half) is None


def test_what_a_person_wrote_after_the_crash_stays(half: Path, two: tuple[Path, Path]) -> None:
    two[0].write_text("a person's\n")
    assert put_back_half_written(half) == PutBack((), (two[0],))
    assert [path.read_text() for path in two] == ["a person's\n", OLD]


def test_the_next_who_writes_puts_it_back_first(half: Path, two: tuple[Path, Path]) -> None:
    replace_texts(texts(two, OLD), texts(two, "newer\n"), half)
    assert [path.read_text() for path in two] == ["newer\n", "newer\n"]


def test_a_note_that_was_never_finished_says_that_no_file_was_touched(two: tuple[Path, Path], tmp_path: Path) -> None:
    note = tmp_path / "note"
    note.write_text('{"files": [{"bef')
    before = [path.read_text() for path in two]
    assert put_back_half_written(note) is None and not note.exists()
    assert [path.read_text() for path in two] == before


def test_while_another_process_writes_nothing_is_written_for_long(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(files, "_LOCK_TIMEOUT_S", 0.05)
    note = tmp_path / "note"
    note.touch()
    with FileLock(f"{note}.lock"), pytest.raises(CannotAnswerError, match="another kernelopt is writing files just now") as raised:
        put_back_half_written(note)
    assert raised.value.remedy == "try again" and note.exists()


def test_what_became_of_a_half_is_said_in_a_sentence_for_each(tmp_path: Path) -> None:
    first, second, third = (tmp_path / name for name in ("a.cu", "b.cu", "c.cu"))
    assert PutBack((), ()).in_words == ()
    (restored,) = PutBack((first, second), ()).in_words
    assert restored == f"an accept or undo of several files broke off: {first}, {second} was put back as it was before it"
    both = PutBack((first,), (third,)).in_words
    assert len(both) == 2 and both[1].endswith(f"{third} changed since: look at it, it was left as it is")
