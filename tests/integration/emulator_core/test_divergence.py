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


def test_lanes_that_wait_or_come_back_from_a_function_part_at_no_branch(build: Any, run: Any) -> None:
    """``divergent_calls.cu``: lists of different length walked in a function, a lock, barriers and shuffles in a loop."""
    lists, ticket, warps = (p["executions"] for p in run(build("emulator/counters/divergent_calls.cu"))["profiles"])
    assert [e["line"] for e in lists if e["divergent_branches"]] == [4, 16], "the walk and the condition; not the loop around the call"
    assert not any(e["divergent_branches"] for e in ticket)
    assert [(e["line"], e["divergent_branches"], e["branch_executions"]) for e in warps if e["divergent_branches"]] == [(33, 400, 400)]


def test_a_branch_is_on_the_line_of_its_condition(build: Any, run: Any) -> None:
    """The block that ends with it begins two lines before."""
    forces = run(build("executed/first/fractal_and_life.cu"))["profiles"][2]["executions"]
    parted = {e["line"]: e["divergent_branches"] / e["branch_executions"] for e in forces if e["divergent_branches"]}
    assert parted.keys() == {32, 36, 39}
    assert all(ratio <= 1 for ratio in parted.values())
