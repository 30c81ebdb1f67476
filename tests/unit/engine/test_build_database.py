"""Flags that a workspace's ``compile_commands.json`` has for a file."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from assistant.engine.build_database import database_flags


@pytest.fixture
def file(tmp_path: Path) -> Path:
    (tmp_path / ".git").mkdir()
    (tmp_path / "src").mkdir()
    return tmp_path / "src" / "k.cu"


def write(file: Path, command: str) -> None:
    entries = [{"directory": str(file.parents[1]), "file": str(file), "command": command}]
    (file.parents[1] / "compile_commands.json").write_text(json.dumps(entries))


def test_without_a_database_nothing_is_said(file: Path) -> None:
    assert database_flags(file) is None


def test_flags_come_from_the_workspace_and_from_files_that_it_names(file: Path) -> None:
    write(file, f"nvcc -O2 --options-file more.rsp -c {file}")
    (file.parents[1] / "more.rsp").write_text("-DN=4")
    assert database_flags(file) == ("-O2", "-DN=4")


def test_a_file_of_flags_that_is_none_is_an_error(file: Path) -> None:
    write(file, f"nvcc --options-file more.rsp -c {file}")
    with pytest.raises(ValueError, match="no such file"):
        database_flags(file)
    (file.parents[1] / "more.rsp").write_text(" " * ((1 << 20) + 1))
    with pytest.raises(ValueError, match="longer than 1048576 bytes"):
        database_flags(file)
    (file.parents[1] / "more.rsp").write_text("-DN=4".ljust(1 << 20))
    assert database_flags(file) == ("-DN=4",)
