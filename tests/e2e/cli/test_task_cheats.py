"""Wrong edits sent through the door of a task: each has the reward -1, and is named."""

from __future__ import annotations

import json
import os
import shutil
from typing import Any

import pytest

from tests.e2e.cli.harness import CHEATS, Cli
from tests.e2e.cli.test_verdicts import EXPECTED
from tests.thorough import only

SAMPLE = ("no_op", "values/narrow_sum", "environment/reads_a_file", "host_thread", "honest")
"""One of each way: FAIL, NEEDS_DECISION, refused before it is compiled, host code, and one that is right."""
_HOST = "host-code"


def rewarded(cli: Cli, name: str) -> dict[str, Any]:
    """What ``judge`` answers of a version in the task of its original."""
    version = CHEATS / f"{name}.cu"
    for path in version.parent.glob("*.cu*"):
        shutil.copy(path, cli.folder)
    made = cli.run("task", "new", "original.cu", "work", "--for", "claude", "--json")
    assert made.code == 0, made.said
    shutil.copy(version, cli.folder / "work" / "original.cu")
    return json.loads(cli.run("judge", "--task", "work", "--json").out)


@pytest.mark.parametrize("name", EXPECTED if "KERNELOPT_ALL_CHEATS" in os.environ else only((), SAMPLE))
def test_a_version_gets_the_reward_it_deserves(cli: Cli, name: str) -> None:
    expected = EXPECTED[name]
    if name.startswith("constant/"):  # a constant would pass on its cases: such a task is not made
        shutil.copy(CHEATS / "constant" / "original.cu", cli.folder)
        made = cli.run("task", "new", "original.cu", "work")
        assert made.code == 3 and expected["reason"] in made.said and not (cli.folder / "work").exists()
        return
    answer = rewarded(cli, name)
    codes = {reason["code"] for reason in answer["components"]["reasons"]}
    labels = {*expected.get("labels", ()), *expected.get("text_labels", ())}
    if expected["outcome"] == "PASS" and _HOST not in labels:
        assert answer["reward"] in (0, 1) and not codes, answer  # a macro in the place of a number is the same machine code
        assert answer["components"]["predicted"] and answer["components"]["ratio"] is None
        return
    assert answer["reward"] == -1 and answer["components"]["right"] is False, answer
    named = {*expected.get("any_of", ()), _HOST, "new-flags", "foreign_reading", "several_programs"}
    if expected["outcome"] == "NEEDS_DECISION":
        named.add("wrong_value")  # some draws show that it is wrong
    assert codes & named, answer
