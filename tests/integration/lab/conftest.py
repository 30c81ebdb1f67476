"""A cache folder of a test's own, whose emulator is built once."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.caches import link_kept_emulator


@pytest.fixture
def own_cache(tmp_path: Path) -> Path:
    return link_kept_emulator(tmp_path / "cache")
