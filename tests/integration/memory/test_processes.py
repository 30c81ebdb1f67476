"""Real processes on one memory file: together, killed, locked out, out of space."""

from __future__ import annotations

import resource
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from assistant import serialize
from assistant.errors import MemoryFileError
from assistant.memory import MemoryStore, open_store
from assistant.memory.database import open_database
from assistant.memory.migrations import NAMES
from assistant.model.placement import Placement, PlacementState

ROOT = Path(__file__).parents[3]
DATA = ROOT / "tests" / "data" / "memory"


def start(path: Path, given: object, *arguments: str, script: str = "writer.py", **options: Any) -> subprocess.Popen[str]:
    process = subprocess.Popen(
        (sys.executable, str(DATA / script), str(path), *arguments),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        cwd=ROOT,
        env={"PYTHONPATH": str(ROOT)},
        **options,
    )
    assert process.stdin is not None
    process.stdin.write(serialize.dumps(given))
    process.stdin.close()
    process.stdin = None
    return process


def test_processes_that_create_and_fill_one_file_at_once_lose_nothing(path: Path, given: Any) -> None:
    writers = [start(path, given.attempt(), "attempts", name, "40") for name in "ABCD"]
    for writer in writers:
        _, errors = writer.communicate(timeout=60)
        assert (writer.returncode, errors) == (0, "")
    with open_store(path) as store:
        assert len(store.attempts(limit=1000)) == 160
        assert store.verify().damages == ()


def test_of_several_processes_one_decides_and_the_others_learn_who(path: Path, given: Any) -> None:
    with open_store(path) as store:
        store.add_proposal(given.workspace, given.proposal())
    outputs = [p.communicate(timeout=60)[0].strip() for p in [start(path, given.decision(), "decide", n) for n in "ABCD"]]
    with open_store(path) as store:
        (decision,) = store.decisions()
    assert sorted(outputs) == [f"lost to {decision.decided_by}"] * 3 + ["won"]


def test_a_process_killed_while_writing_loses_nothing_that_it_committed(path: Path, given: Any) -> None:
    for name in "ABC":
        writer = start(path, given.attempt(), "attempts", name, "100000")
        assert writer.stdout is not None
        seen = [writer.stdout.readline().strip() for _ in range(25)]
        writer.send_signal(signal.SIGKILL)
        rest = writer.communicate(timeout=60)[0].split()
        assert writer.returncode == -signal.SIGKILL
        with open_store(path) as store:
            stored = {attempt.id for attempt in store.attempts(limit=1_000_000)}
            assert stored >= {*seen, *rest[:-1]}
            assert store.verify().damages == ()


def test_a_write_that_does_not_fit_leaves_the_file_as_it_was(path: Path, given: Any) -> None:
    def small_files() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (400_000, 400_000))

    writer = start(path, given.attempt(), "attempts", "A", "100000", preexec_fn=small_files)
    committed, errors = writer.communicate(timeout=60)
    assert "MemoryFileError" in errors
    with open_store(path) as store:
        assert {a.id for a in store.attempts(limit=1_000_000)} == set(committed.split())
        assert store.verify().damages == ()
        store.add_attempt(given.attempt("C99"))


def test_a_full_disk_is_said_and_loses_nothing(store: MemoryStore, given: Any) -> None:
    store.add_attempt(given.attempt("C00"))
    store.database.rows("pragma max_page_count = 1")
    big = given.attempt("C01", text="".join(f"{index}\n" for index in range(300_000)))
    with pytest.raises(MemoryFileError, match="disk is full") as caught:
        store.add_attempt(big)
    assert "free some space" in caught.value.remedy
    assert store.attempts() == (given.attempt("C00"),)
    assert store.verify().damages == ()


def test_a_file_locked_for_too_long_is_said_and_works_again_after(path: Path, given: Any) -> None:
    open_store(path).close()
    blocker = sqlite3.connect(path, isolation_level=None)
    store = MemoryStore(open_database(path, busy_timeout_s=0.05))
    blocker.execute("begin immediate")
    with pytest.raises(MemoryFileError, match="locked by another process"):
        store.add_attempt(given.attempt())
    assert store.attempts() == ()
    blocker.execute("rollback")
    blocker.close()
    store.add_attempt(given.attempt())
    store.close()


@pytest.mark.parametrize(
    "content", [b"not a database at all, but long enough to look like one" * 20, b"SQLite format 3\x00" + b"\xff" * 5000]
)
def test_a_file_that_is_no_memory_is_refused_and_left_alone(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "memory.sqlite3"
    path.write_bytes(content)
    with pytest.raises(MemoryFileError) as caught:
        open_store(path)
    assert "move it away" in caught.value.remedy
    assert path.read_bytes() == content


def test_an_sqlite_file_of_another_program_is_refused_and_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "places.sqlite"
    with sqlite3.connect(path) as connection:
        connection.execute("create table bookmarks (url text)")
    connection.close()
    before = path.read_bytes()
    with pytest.raises(MemoryFileError, match="another program"):
        open_store(path)
    assert path.read_bytes() == before


def test_a_folder_that_cannot_be_made_is_said() -> None:
    with pytest.raises(MemoryFileError, match="cannot create /proc/nowhere") as caught:
        open_store(Path("/proc/nowhere/memory.sqlite3"))
    assert "memory.path" in caught.value.remedy


@pytest.fixture
def open_folder() -> Iterator[Path]:
    """A folder that every user can reach."""
    with tempfile.TemporaryDirectory() as name:
        Path(name).chmod(0o755)
        yield Path(name)
        Path(name).chmod(0o755)


def test_a_write_protected_folder_is_said_and_its_memory_still_read(open_folder: Path, given: Any) -> None:
    path = open_folder / "memory.sqlite3"
    with open_store(path) as reader:
        reader.add_attempt(given.attempt("C01"))
        for file in open_folder.iterdir():
            file.chmod(0o444)
        open_folder.chmod(0o555)
        output, errors = start(path, given.attempt("C02"), script="unprivileged.py").communicate(timeout=60)
        assert errors == ""
        count, said = output.splitlines()
        assert count == "1"
        assert "open for reading only: the file or its folder is write-protected | make the file" in said
        assert len(reader.attempts()) == 1


def test_a_file_that_may_not_be_read_is_said(open_folder: Path, given: Any) -> None:
    path = open_folder / "memory.sqlite3"
    open_store(path).close()
    path.chmod(0)
    output, errors = start(path, given.attempt(), script="unprivileged.py").communicate(timeout=60)
    assert errors == ""
    assert "cannot be opened" in output
    assert "memory.path" in output


def test_a_folder_where_no_file_can_be_made_is_said(open_folder: Path, given: Any) -> None:
    open_folder.chmod(0o555)
    for path in (open_folder / "memory.sqlite3", open_folder / "deeper" / "memory.sqlite3"):
        output, errors = start(path, given.attempt(), script="unprivileged.py").communicate(timeout=60)
        assert errors == ""
        assert "cannot" in output
        assert "memory.path" in output


def test_a_newer_file_is_opened_for_reading_and_says_so(path: Path, given: Any) -> None:
    with open_store(path) as store:
        store.add_attempt(given.attempt())
        store.database.execute(f"pragma user_version = {len(NAMES) + 1}")
    with open_store(path) as store:
        assert store.attempts() == (given.attempt(),)
        assert store.read_only_reason is not None and "newer kernelopt" in store.read_only_reason
        with pytest.raises(MemoryFileError, match="newer kernelopt wrote it") as refused:
            store.add_attempt(given.attempt("C02"))
        assert refused.value.remedy.startswith("update kernelopt")
        assert store.attempts() == (given.attempt(),)


@pytest.mark.parametrize("version", range(1, len(NAMES) + 1))
def test_every_older_file_is_brought_up_to_date(path: Path, given: Any, version: int) -> None:
    path.parent.mkdir()
    shutil.copy(DATA / f"version{version}.sqlite3", path)
    with open_store(path) as store:
        assert store.attempts() == (given.attempt("C01"),)
        assert [p.state.value for p in store.proposals()] == ["accepted"]
        assert store.decisions() == (given.decision(),)
        store.add_attempt(given.attempt("C02"))
        assert store.verify().damages == ()


def test_what_a_kernel_asks_of_editors_is_taken_by_one_of_them(path: Path, given: Any) -> None:
    asked = Placement("a1", "P01", ("h1", "h2"), "0" * 64, "jupyter 7", 1_000_000)
    with open_store(path) as kernel, open_store(path) as editor, open_store(path) as other:
        kernel.ask_placement(asked)
        assert editor.placements(asked.asked_ms) == other.placements(0) == (asked,)
        assert editor.placements(asked.asked_ms + 1) == ()
        assert editor.move_placement("a1", PlacementState.ASKED, PlacementState.TAKEN)
        assert not other.move_placement("a1", PlacementState.ASKED, PlacementState.TAKEN)
        assert editor.move_placement("a1", PlacementState.TAKEN, PlacementState.DONE)
        assert kernel.placement_state("a1") is PlacementState.DONE
        kernel.ask_placement(replace(asked, id="a2", asked_ms=asked.asked_ms + 61_000))
        assert kernel.placement_state("a1") is None
