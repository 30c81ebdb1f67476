"""One cache for the whole test session, in which no program is built."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.caches import new_emulator_cache


@pytest.fixture(scope="session")
def cache_dir(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return new_emulator_cache(tmp_path_factory.mktemp("emulator-cache"))
