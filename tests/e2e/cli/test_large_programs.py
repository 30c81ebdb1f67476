"""Programs that take too long for the emulator are checked, compared and counted in part: what is wrong never passes in silence."""

from __future__ import annotations

import re
import tomllib
from typing import Any

import pytest

from tests.e2e.cli.harness import DATA, Cli, Ended

FOLDER = DATA / "large_programs"
PROGRAMS: dict[str, dict[str, Any]] = tomllib.loads((FOLDER / "edits.toml").read_text("utf-8"))
EDITS = [f"{program}.{name}" for program, about in PROGRAMS.items() for name, edit in about["edits"].items() if not edit.get("large_only")]


def compared(cli: Cli, name: str) -> Ended:
    """The edit held against its program at a quick size, with so little time that a part of it is left out."""
    program, _, edit_name = name.partition(".")
    about = PROGRAMS[program]
    edit = about["edits"][edit_name]
    text = (FOLDER / f"{program}.cu").read_text("utf-8")
    if "define" in about:
        macro = about["define"].split()[0]
        text = re.sub(rf"#define {macro} .*", f"#define {about['define']}", text, count=1)
    edited = text
    for old, new in zip(edit["old"], edit["new"], strict=True):
        assert edited.count(old) == 1, (name, old)
        edited = edited.replace(old, new)
    cli.write("kernelopt.toml", f"[run]\nwhole_s = {about['whole_s']}\n")
    return cli.run("compare", cli.write("a.cu", text), cli.write("b.cu", edited), "--json", "--", *about["arguments"])


@pytest.mark.thorough
@pytest.mark.parametrize("name", EDITS)
def test_right_edits_do_not_fail_and_wrong_ones_do_not_pass(cli: Cli, name: str) -> None:
    program, _, edit_name = name.partition(".")
    is_right = PROGRAMS[program]["edits"][edit_name].get("is_right", False)
    outcomes = {verdict["verification"]["outcome"] for verdict in compared(cli, name).all("comparison")}
    assert outcomes, "it is judged"
    assert ("FAIL" not in outcomes) if is_right else (outcomes != {"PASS"}), outcomes


@pytest.mark.thorough
def test_what_was_judged_is_in_the_verdict_line_and_labelled(cli: Cli) -> None:
    ended = compared(cli, "matmul_tiled.padded")
    reason = ended.events[-1]["reason"]
    assert re.search(
        r"judged at M=\d+, N=\d+, K=\d+, not at the program's own size M=400, N=400, K=400, of which \d+ of 625 blocks", reason
    )
    assert "in-part" in ended.one("comparison")["verification"]["labels"]


def test_check_names_the_blocks_that_it_left_out_and_looks_at_the_last_one(cli: Cli) -> None:
    text = (FOLDER / "matmul_tiled.cu").read_text("utf-8").replace("if (row < M && col < N) C", "C")
    cli.write("kernelopt.toml", "[run]\nwhole_s = 0.3\n")
    ended = cli.run("check", cli.write("matmul.cu", text), "--json", "--", "395")
    said = [message["message"] for message in ended.all("message")]
    assert any(
        re.search(r"checked \d+ of 625 blocks: the first, the last and others spread evenly; the others were not", one) for one in said
    )
    assert "out_of_bounds" in {problem["kind"] for problem in ended.one("check")["problems"]}
    assert ended.events[-1]["reason"].endswith("checked in part")


@pytest.mark.thorough
def test_launches_that_do_not_correspond_are_not_judged_in_part_and_the_reason_says_how_to(cli: Cli) -> None:
    """What the program computes in the end is not known, and no launch of one version can be held against one of the other."""
    text = (FOLDER / "saxpy.cu").read_text("utf-8")
    edited = text.replace("const float *x, float *y)", "const float *x, float *y, int first)").replace("2.5f, x, y);", "2.5f, x, y, 0);")
    cli.write("kernelopt.toml", "[run]\nwhole_s = 0.000001\n")
    arguments = PROGRAMS["saxpy"]["arguments"]
    ended = cli.run("compare", cli.write("a.cu", text), cli.write("b.cu", edited), "--json", "--", *arguments)
    (message,) = (one for one in ended.all("message") if one["severity"] == "error")
    assert message["message"].startswith("the program takes too long to be run whole here, and no launch of one version"), message
    assert "run.whole_s" in message["remedy"] and "smaller arguments" in message["remedy"]
