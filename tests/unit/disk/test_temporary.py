"""Temporary folders: gone with their owner, however it ended, and never another's."""

import signal
import subprocess
import sys
import tempfile
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
