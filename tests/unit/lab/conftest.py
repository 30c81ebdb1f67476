"""A cache folder of a test's own, whose emulator is built once."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

import pytest


@pytest.fixture
def own_cache(tmp_path: Path) -> Path:
    folder, kept = tmp_path / "cache", Path(tempfile.gettempdir()) / f"kernelopt-test-emulator-{os.getuid()}"
    kept.mkdir(exist_ok=True)
    folder.mkdir()
    (folder / "emulator").symlink_to(kept)
    return folder
