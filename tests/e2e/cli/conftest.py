"""Fixtures of the command line's end-to-end tests."""

from __future__ import annotations

from collections.abc import Generator
from pathlib import Path

import pytest

from tests.e2e.cli.harness import Cli, adopt_orphans, make_cli, no_orphans


@pytest.fixture(scope="session", autouse=True)
def _orphans_come_here() -> None:  # pyright: ignore[reportUnusedFunction]
    adopt_orphans()


@pytest.fixture
def cli(tmp_path: Path) -> Generator[Cli]:
    """A command line of one's own; whatever it starts must be gone at the end, and no scratch left."""
    made = make_cli(tmp_path)
    with no_orphans():
        yield made
    assert made.left_behind() == []
