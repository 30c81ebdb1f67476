"""Temporary folders: gone with their owner, however it ended, and never another's."""

import signal
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from assistant.disk.temporary import OwnFolder

_OWNER = """
import sys
from assistant.disk.temporary import OwnFolder
folder = OwnFolder("test").path
(folder / "deep").mkdir()
(folder / "deep" / "file").write_text("left")
print(folder, flush=True)
sys.stdin.read()
"""


@pytest.fixture(autouse=True)
def temporary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The temporary folder of this process and those that it starts."""
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr(tempfile, "tempdir", None)
    return tmp_path


def test_what_a_killed_process_left_goes_with_the_next_folder(temporary: Path) -> None:
    with subprocess.Popen((sys.executable, "-c", _OWNER), stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as owner:
        assert owner.stdout is not None
        left = Path(owner.stdout.readline().strip())
        with OwnFolder():
            assert (left / "deep" / "file").exists(), "its owner is alive"
        owner.send_signal(signal.SIGKILL)
    assert left.parent == temporary and left.exists()
    with OwnFolder() as own:
        assert list(temporary.iterdir()) == [own]


@pytest.mark.parametrize("names", [(), (".owner",)], ids=["before it was owned", "before it had its name"])
def test_what_a_process_left_that_was_killed_while_it_made_a_folder_goes_too(temporary: Path, names: tuple[str, ...]) -> None:
    left = temporary / ".kernelopt-bench-f3yxd1a5"
    left.mkdir()
    for name in names:
        (left / name).touch()
    with OwnFolder() as own:
        assert list(temporary.iterdir()) == [own]


def test_processes_that_make_folders_at_once_take_none_from_each_other(temporary: Path) -> None:
    def make_many(_: int) -> None:
        for _ in range(60):
            with OwnFolder("one") as folder:
                (folder / "file").write_text("mine")
                assert (folder / "file").read_text() == "mine"

    with ThreadPoolExecutor(4) as makers:  # a lock is one opened file's, in the same process too
        list(makers.map(make_many, range(4)))
    assert list(temporary.iterdir()) == []


def test_a_folder_ends_with_its_block() -> None:
    with OwnFolder("kind") as folder:
        assert folder.name.startswith("kernelopt-kind-")
        (folder / "file").write_text("anything")
    assert not folder.exists()


def test_folders_that_are_only_named_alike_stay(temporary: Path) -> None:
    checkout, link = temporary / "kernelopt-checkout", temporary / "kernelopt-link"
    checkout.mkdir()
    (checkout / "main.cu").write_text("mine")
    link.symlink_to(checkout)
    with OwnFolder():
        pass
    assert sorted(temporary.iterdir()) == [checkout, link] and (checkout / "main.cu").exists()
