"""Two processes that create one memory file: neither takes what the other has written so far for somebody else's file."""

from __future__ import annotations

import contextlib
import sqlite3
from pathlib import Path
from typing import Any

import pytest

from assistant.errors import MemoryFileError
from assistant.memory.database import open_database

READS = ("pragma application_id", "pragma user_version", "select count(*) from sqlite_master")
BRIEFLY_S = 0.05


@pytest.mark.parametrize("read", READS)
def test_a_file_that_another_creates_meanwhile_is_ours(path: Path, monkeypatch: pytest.MonkeyPatch, read: str) -> None:
    """The other one opens it just before ``read`` of the first."""
    connect, came = sqlite3.connect, list[str]()

    def other(statement: str) -> None:
        if statement == read and not came:
            came.append(statement)
            with contextlib.suppress(MemoryFileError):  # it may have to wait
                open_database(path, BRIEFLY_S).close()

    def connected(*arguments: Any, **options: Any) -> sqlite3.Connection:
        connection = connect(*arguments, **options)
        if not came:
            connection.set_trace_callback(other)
        return connection

    monkeypatch.setattr(sqlite3, "connect", connected)
    database = open_database(path)
    assert came and database.read_only is None
    database.close()
