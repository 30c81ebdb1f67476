"""Every configuration test has its own home folder."""

from __future__ import annotations

from pathlib import Path

import pytest


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The user's files; KERNELOPT_HOME points here."""
    folder = tmp_path / "home"
    folder.mkdir()
    monkeypatch.setenv("KERNELOPT_HOME", str(folder))
    return folder


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    folder = tmp_path / "workspace"
    folder.mkdir()
    return folder
