"""Candidates for a PyTorch operator that do not do its work, or hide who does: each is named, none of them passes."""

from __future__ import annotations

import importlib.util
import os
import tomllib
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.cli.harness import CHEATS, Cli

pytestmark = pytest.mark.skipif(importlib.util.find_spec("torch") is None, reason="tasks run in PyTorch")

FOLDER = CHEATS / "operators"
EXPECTED: dict[str, dict[str, Any]] = tomllib.loads((FOLDER / "expected.toml").read_text("utf-8"))
SAMPLE = ("by_a_thread_of_its_own_kind",)
"""What `make test` takes: a way that only a run shows."""


@pytest.mark.parametrize("name", EXPECTED if "KERNELOPT_ALL_CHEATS" in os.environ else SAMPLE)
def test_a_candidate_gets_the_verdict_it_deserves(cli: Cli, name: str) -> None:
    expected = EXPECTED[name]
    ended = cli.run("compare", FOLDER / "task.py", FOLDER / f"{name}.py", "--json")
    verdict = ended.one("comparison")["verification"]
    found = {finding["code"]: finding["message"] for finding in verdict["findings"]}
    assert verdict["outcome"] == expected["outcome"] and ended.code == (1 if expected["outcome"] == "FAIL" else 0), ended.said
    assert any(expected.get("by", "") in found.get(code, "") for code in expected["any_of"] if code in found), ended.said


@pytest.mark.thorough
def test_where_every_kernel_must_be_ones_own_nothing_else_may_compute(cli: Cli) -> None:
    ended = cli.run("compare", FOLDER / "task.py", FOLDER / "by_numpy.py", "--only-custom")
    assert ended.code == 1 and "no kernel of its own ran" in ended.said, ended.said


def test_every_candidate_here_has_its_verdict() -> None:
    assert {path.stem for path in Path(FOLDER).glob("*.py")} == {*EXPECTED, "task"}
