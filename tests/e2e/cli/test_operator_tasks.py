"""A PyTorch task for an agent, from its making to its reward: the judge runs PyTorch and the emulator as for a person's comparison."""

from __future__ import annotations

import importlib.util
import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.cli.harness import Cli
from tests.e2e.cli.test_operators import BY_LIBRARY, CHEATS, EXAMPLES, TASKS, candidate_of

pytestmark = pytest.mark.skipif(importlib.util.find_spec("torch") is None, reason="tasks run in PyTorch")

SMALL = EXAMPLES / "chains" / "scaled_silu"
IN_PYTHON = [folder for folder in TASKS if candidate_of(folder, "cheating").suffix == ".py"]


def make(cli: Cli, folder: Path, *options: str) -> Path:
    """The file that the agent edits."""
    shutil.copy(folder / "task.py", cli.folder)
    made = cli.run("task", "new", "task.py", "work", "--for", "claude", *options)
    assert made.code == 0, made.said
    return cli.folder / "work" / "candidate.py"


def asked(cli: Cli, candidate: Path, *words: str) -> dict[str, Any]:
    return json.loads(cli.run(*words, "--json", folder=candidate.parent).out)


@pytest.mark.thorough
def test_an_operator_is_written_from_its_task_to_its_reward(cli: Cli) -> None:
    candidate = make(cli, SMALL)
    assert "torch_project" not in (candidate.parent / "task.json").read_text()
    candidate.write_text(candidate_of(SMALL, "right").read_text())
    answer = asked(cli, candidate, "judge")
    assert (answer["reward"], answer["milestone"], answer["components"]["compiled"]) == (1, "right", True), answer
    _, *calls = [json.loads(line) for line in cli.run("task", "trajectory", "work").out.splitlines()]
    assert [(call["tool"], call.get("reward")) for call in calls] == [("judge", 1)]
    assert "+extension = load_inline(" in calls[0]["diff"]


@pytest.mark.thorough
def test_a_candidate_that_was_left_as_it_was_earns_nothing(cli: Cli) -> None:
    candidate = make(cli, SMALL)
    candidate.write_text("# as it was\n" + candidate.read_text())
    assert asked(cli, candidate, "judge")["reward"] == 0


@pytest.mark.thorough
def test_a_profile_says_what_the_reference_consists_of(cli: Cli) -> None:
    profiled = asked(cli, make(cli, SMALL), "profile")
    (found,) = [event for event in profiled["events"] if event["event"] == "operators"]
    assert {function["name"] for function in found["functions"]} >= {"silu", "mul"} and found["groups"]


@pytest.mark.thorough
@pytest.mark.parametrize("folder", IN_PYTHON, ids=lambda folder: folder.name)
def test_every_cheat_of_the_examples_is_wrong_and_named(cli: Cli, folder: Path) -> None:
    candidate = make(cli, folder)
    candidate.write_text(candidate_of(folder, "cheating").read_text())
    answer = asked(cli, candidate, "judge")
    codes = {reason["code"] for reason in answer["components"]["reasons"]}
    assert answer["reward"] == -1 and codes & CHEATS[folder.name], answer
    assert folder.name in BY_LIBRARY or answer["components"]["cheat"] or codes & {"wrong_value", "shared_output"}, answer
