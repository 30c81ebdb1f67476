"""The memory file and the store of the tests keep to one contract."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from assistant.memory.store import open_store
from assistant.ports.store import Store
from tests.contracts.fake_store import FakeStore
from tests.contracts.store_contract import StoreContract


class TestMemoryFile(StoreContract):
    @pytest.fixture
    def store(self, tmp_path: Path) -> Iterator[Store]:
        with open_store(tmp_path / "memory.sqlite3") as opened:
            yield opened


class TestFakeStore(StoreContract):
    @pytest.fixture
    def store(self) -> Store:
        return FakeStore()
