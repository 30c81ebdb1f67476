"""Which file is read, and what is said where there is none."""

from __future__ import annotations

from pathlib import Path

import pytest

from assistant.engine.subject import holder_of, read_source
from assistant.errors import UsageError


def refusal(path: Path) -> UsageError:
    with pytest.raises(UsageError) as caught:
        read_source(path)
    return caught.value


def test_a_text_inside_another_file_is_told_from_a_missing_one(tmp_path: Path) -> None:
    (tmp_path / "train.py").touch()
    (tmp_path / "notes").touch()
    assert refusal(tmp_path / "train.py.halve.cu").message == "train.py.halve.cu is a text inside train.py"
    for name in ("train.py.cu", "other.py.halve.cu", "notes.halve.cu", "halve.cu"):
        assert "does not exist" in refusal(tmp_path / name).message


def test_the_holder_is_a_python_file_or_a_notebook_that_exists(tmp_path: Path) -> None:
    for name in ("a.ipynb", "b.c.py"):
        (tmp_path / name).touch()
        assert holder_of(tmp_path / f"{name}.k-2.cu") == tmp_path / name
    assert holder_of(tmp_path / "a.ipynb") is None
