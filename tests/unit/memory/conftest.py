"""A memory file of the test's own, and values to keep in it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from assistant.memory import MemoryStore, open_store
from tests.contracts.stored import Given


@pytest.fixture
def given() -> type[Given]:
    return Given


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "data" / "memory.sqlite3"


@pytest.fixture
def store(path: Path) -> Iterator[MemoryStore]:
    with open_store(path) as opened:
        yield opened
