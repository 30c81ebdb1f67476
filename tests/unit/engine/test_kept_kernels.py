"""Where the first kernel of a PyTorch task is kept."""

from __future__ import annotations

from pathlib import Path

from assistant.engine.operators.writing import kept


def test_a_kernel_that_was_kept_before_stays_as_it_is(tmp_path: Path) -> None:
    task = tmp_path / "norm" / "task.py"
    task.parent.mkdir()
    first = kept(task, "// one")
    assert kept(task, "// one") == first
    first.write_text("// one, gone on with", "utf-8")
    second = kept(task, "// one")
    assert (first.read_text("utf-8"), second.read_text("utf-8")) == ("// one, gone on with", "// one")
    assert (first.name, second.name) == ("norm_task.cu", "norm_task_2.cu")
