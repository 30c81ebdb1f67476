"""Tasks that are drawn, from the command line."""

from __future__ import annotations

import json

import pytest

from tests.e2e.cli.harness import Cli


def test_drawn_tasks_are_written_with_where_they_come_from(cli: Cli) -> None:
    made = cli.run("tasks", "make", "drawn", "--operators", "3", "--kernels", "3", "--seed", "5", "--no-check")
    assert made.code == 0 and "6 tasks in " in made.out and "none was run" in made.out, made.said
    lines = [json.loads(line) for line in (cli.folder / "drawn/tasks.jsonl").read_text().splitlines()]
    assert [line["kind"] for line in lines] == ["operator"] * 3 + ["kernel"] * 3


@pytest.mark.thorough
def test_drawn_kernels_are_judged_with_their_solutions(cli: Cli) -> None:
    made = cli.run("tasks", "make", "drawn", "--kernels", "2", "--seed", "11")
    assert made.code == 0 and "each was run" in made.out, made.said
    for line in map(json.loads, (cli.folder / "drawn/tasks.jsonl").read_text().splitlines()):
        assert line["checked"]["predicted_ratio"] > 0 and line["checked"]["measured_ratio"] is None
