"""Fixtures of the command line's end-to-end tests."""

from __future__ import annotations

from collections.abc import Generator
from pathlib import Path

import pytest

from tests.e2e.cli.harness import Cli, no_orphans, working_cli
from tests.e2e.conftest import Offered


@pytest.fixture
def cli(request: pytest.FixtureRequest, tmp_path: Path) -> Generator[Cli]:
    """A command line of one's own; whatever it starts must be gone at the end, and no scratch left.

    In modules marked ``new_process`` each command is started as a user starts it.
    """
    with working_cli(tmp_path) as made:
        made.is_loaded = request.node.get_closest_marker("new_process") is None
        with no_orphans():
            yield made
        assert made.left_behind() == []


@pytest.fixture
def killed(tmp_path: Path) -> Generator[Cli]:
    """As ``cli``, for commands that a test kills: what they leave goes with a later one, once no process of theirs holds it."""
    with working_cli(tmp_path) as made, no_orphans():
        yield made


@pytest.fixture
def offered(freshly_offered: Offered) -> Generator[Offered]:
    """As after ``optimize transpose.cu``; likewise nothing may be left."""
    with no_orphans():
        yield freshly_offered
    assert freshly_offered.cli.left_behind() == []
