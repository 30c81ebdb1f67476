"""Edits over several files of a program, named by an edited copy of it: the verdict is that of all of them together."""

from __future__ import annotations

import json
import shutil

import pytest

from tests.e2e.cli.harness import DATA, Cli
from tests.thorough import first_of

EDITS = DATA / "edits" / "smooth"
ANSWERS = json.loads((EDITS / "answers.json").read_text("utf-8"))


@pytest.mark.parametrize("name", first_of(["wrong_tile", "right_signature", "right_block", "broken_unit"]))
def test_an_edited_copy_of_a_program_gets_the_verdict_that_a_person_gave_it(cli: Cli, name: str) -> None:
    for folder, sides in (("original", ["before"]), ("edited", ["before", name])):
        for side in sides:
            shutil.copytree(EDITS / side, cli.folder / folder, dirs_exist_ok=True)
        (cli.folder / folder / "kernelopt.toml").touch()
    ended = cli.run("compare", cli.folder / "original" / "main.cu", cli.folder / "edited" / "main.cu", "--device", "cpu", "--json")
    expected = ANSWERS[name]
    assert ended.all("comparison")[-1]["verification"]["outcome"] == expected["outcome"], f"{expected['because']}\n{ended.said}"
    assert ended.code == (1 if expected["outcome"] == "FAIL" else 0)
    told = next(message["message"] for message in ended.all("message") if "holds a copy" in message["message"])
    assert ", ".join(expected["files"]) in told
