"""The file that PyTorch runs: a person's own, or a copy of what an editor or a notebook holds."""

from __future__ import annotations

from pathlib import Path

from assistant.engine.operators.reading import runnable_file


def test_a_text_that_is_not_on_the_disk_is_run_from_a_copy(tmp_path: Path) -> None:
    """As an editor has it, in a cell of a notebook, or where the disk holds no text at all."""
    file, elsewhere = tmp_path / "task.py", tmp_path / "copies"
    file.write_text("x = 1\n")
    assert runnable_file(file, "x = 1\n", elsewhere) == file and not elsewhere.exists()
    assert runnable_file(file, "x = 2\n", elsewhere) == elsewhere / "task.py"
    assert (elsewhere / "task.py").read_text() == "x = 2\n" and file.read_text() == "x = 1\n"
    assert runnable_file(tmp_path / "cell.py", "y = 3\n", elsewhere).read_text() == "y = 3\n"
    file.write_bytes(b"\xff\xfe")
    assert runnable_file(file, "x = 4\n", elsewhere).read_text() == "x = 4\n"
