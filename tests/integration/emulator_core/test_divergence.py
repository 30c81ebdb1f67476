"""Where lanes of a warp part: at the line of the branch, in a share of its branches' executions."""

from __future__ import annotations

from typing import Any

import pytest

BRANCHES = (7, 9, 11, 13, 16)
"""Lines of ``divergent.cu`` with an if or a for."""


@pytest.fixture
def executions(build: Any, run: Any) -> list[dict[str, Any]]:
    return run(build("emulator/counters/divergent.cu"))["profiles"][0]["executions"]


def test_lanes_part_at_the_lines_that_branch(executions: list[dict[str, Any]]) -> None:
    assert tuple(e["line"] for e in executions if e["divergent_branches"]) == BRANCHES


def test_no_branch_parts_more_often_than_it_runs(executions: list[dict[str, Any]]) -> None:
    assert all(e["divergent_branches"] <= e["branch_executions"] for e in executions)
    several = next(e for e in executions if e["line"] == 16)  # two loops and a condition
    assert several["divergent_branches"] > several["warp_executions"]
