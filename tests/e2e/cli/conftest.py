"""Fixtures of the command line's end-to-end tests."""

from __future__ import annotations

from collections.abc import Generator
from pathlib import Path

import pytest

from tests.e2e.cli.harness import Cli, no_orphans, working_cli
from tests.e2e.conftest import Offered


@pytest.fixture
def cli(tmp_path: Path) -> Generator[Cli]:
    """A command line of one's own; whatever it starts must be gone at the end, and no scratch left."""
    with working_cli(tmp_path) as made:
        with no_orphans():
            yield made
        assert made.left_behind() == []


@pytest.fixture
def offered(freshly_offered: Offered) -> Generator[Offered]:
    """As after ``optimize transpose.cu``; likewise nothing may be left."""
    with no_orphans():
        yield freshly_offered
    assert freshly_offered.cli.left_behind() == []
