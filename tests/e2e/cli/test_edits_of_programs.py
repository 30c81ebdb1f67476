"""Each project looked at, then a model's edit of it: proved, accepted into the files that it changes, built by the project's own build,
and taken back."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import pytest

from tests.e2e.cli.edits_of_programs import EDITS, Edit
from tests.e2e.cli.harness import Cli, Ended
from tests.e2e.cli.scripted_model import LONG_S, ONE_VARIANT, ScriptedModel, asked_by, outcomes, plan, step

BUILD_S = 300.0
TOOLKIT = {"CPATH": "/usr/local/cuda/include"}
"""Where a toolkit's headers are, for host code that a build does not tell."""


def files(folder: Path) -> Mapping[str, bytes]:
    """What a person wrote, by name."""
    own = (path for path in folder.rglob("*") if path.is_file() and ".kernelopt" not in path.parts)
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in own}


@pytest.mark.thorough
@pytest.mark.parametrize("name", EDITS)
def test_a_project_is_looked_at_and_an_edit_of_it_accepted_built_and_taken_back(cli: Cli, tmp_path: Path, name: str) -> None:
    edit, folder = EDITS[name], cli.folder / name
    edit.copy_to(folder)
    cli = replace(cli, folder=folder)
    for command in edit.setup:
        assert cli.run(*command).code == 0, command
    looked_at(cli, edit)
    before, expected = files(folder), edit.expected(folder)
    ended = asked(cli, edit)
    proposal, decision = ended.one("proposal"), ended.one("decision")
    assert (decision["proposal"], decision["kind"]) == (proposal["id"], "accepted"), ended.said
    assert {Path(path).relative_to(folder).as_posix() for path in proposal["files"]} == set(expected)
    assert files(folder) == {**before, **expected}
    builds(cli, edit, tmp_path / "built")
    assert cli.run("check", edit.asked, "--device", "cpu", "--", *edit.arguments).code == 0
    assert decisions(cli) == [("P1", "accepted")]
    assert cli.run("undo", proposal["id"]).code == 0
    assert files(folder) == before
    assert decisions(cli) == [("P1", "accepted"), ("P1", "undone")]


def looked_at(cli: Cli, edit: Edit) -> None:
    """The file's kernels are listed, found right, and counted at their lines."""
    arguments = ("--device", "cpu", "--json", "--", *edit.arguments)
    listed = {event["kernel"] for event in _answered(cli, "inspect", edit.asked, "--json").all("kernel")}
    own = (*(("--kernel", edit.selector) if edit.selector else ()), *arguments)
    checked = _answered(cli, "check", edit.asked, *own).all("check")
    assert checked and {event["kernel"] for event in checked} <= listed
    assert all(event["launch_count"] and not event["problems"] for event in checked)
    assert any(
        line["file"].endswith(edit.asked) for event in _answered(cli, "profile", edit.asked, *own).all("profile") for line in event["lines"]
    )


def _answered(cli: Cli, *arguments: str) -> Ended:
    ended = cli.run(*arguments)
    assert ended.code == 0, ended.said
    return ended


def asked(cli: Cli, edit: Edit) -> Ended:
    """The search that the model answers in; what is proved is taken."""
    model = ScriptedModel([plan(step(edit.technique, edit.line(cli.folder))), plan()], [edit.answer(cli.folder)])
    kernel = ("--kernel", edit.selector) if edit.selector else ()
    options = ("--planner", "llm", "--device", "cpu", "--accept", "best-predicted", "--allow-host-code", "--json", *kernel)
    with asked_by(cli, model, search=ONE_VARIANT):
        ended = cli.run("optimize", edit.asked, *options, "--", *edit.arguments, deadline_s=LONG_S)
    assert (ended.code, outcomes(ended)) == (0, ["kept"]), ended.said
    return ended


def builds(cli: Cli, edit: Edit, scratch: Path) -> None:
    """The project's own build takes the edit, where it has one and a machine its tools; else what stands for nvcc here does."""
    if not edit.builds:
        return
    if shutil.which("nvcc") is None:
        recorded = [command for command in edit.setup if "--record" in command]
        assert all(cli.run(*command).code == 0 for command in recorded)
        return
    shutil.copytree(cli.folder, scratch, ignore=shutil.ignore_patterns(".kernelopt"))
    for command in edit.builds:
        ended = subprocess.run(command, cwd=scratch, env=os.environ | TOOLKIT, capture_output=True, text=True, timeout=BUILD_S, check=False)
        assert ended.returncode == 0, ended.stdout + ended.stderr


def decisions(cli: Cli) -> list[tuple[str, str]]:
    """(proposal, kind) of each that history tells, with the number that people see."""
    said = (re.fullmatch(r".* (P\w+) (accepted|undone) by \S+.*", line) for line in cli.run("history").out.splitlines())
    return [(found[1], found[2]) for found in said if found is not None]
