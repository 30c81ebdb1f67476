"""A search that goes on from edits which a person has yet to decide on."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.e2e.cli.blend import PROGRAM, VECTOR
from tests.e2e.cli.harness import Cli, quick_text
from tests.e2e.cli.kernels_of_a_model import TILED_TRANSPOSE
from tests.e2e.cli.scripted_model import ScriptedModel, code, optimize, outcomes, plan, step

POORLY_PADDED = TILED_TRANSPOSE.replace("[33]", "[32]")
ASSUMING = code(POORLY_PADDED, "Go through a tile.", assumptions=["width is a multiple of 4"])
PADDED = code(TILED_TRANSPOSE, "Pad the tile.")


def larger(cli: Cli) -> Path:
    """The transpose at a size at which conflicts of its tile's banks take time."""
    return cli.write("transpose.cu", quick_text().replace("width = 160, height = 96", "width = 512, height = 480"))


def searched(cli: Cli, *options: str) -> tuple[list[str], list[str], str]:
    """(outcomes of its candidates, labels of what it offers, the offer's diff)."""
    model = ScriptedModel([plan(step("shared-tile", 11)), plan(step("shared-memory-padding", 12)), plan()], [ASSUMING, PADDED])
    ended = optimize(cli, larger(cli), model, *options)
    offered = ended.one("proposal")
    assert offered["verification"]["outcome"] == "NEEDS_DECISION", [(one["outcome"], one["reason"]) for one in ended.all("candidate")]
    return outcomes(ended), offered["labels"], offered["diff"]


@pytest.mark.thorough
def test_nothing_is_built_on_an_edit_that_a_person_must_decide_on(cli: Cli) -> None:
    outcome, labels, diff = searched(cli)
    assert outcome == ["kept"] and "assumption" in labels and "[32][32]" in diff


@pytest.mark.thorough
def test_a_decision_that_was_allowed_is_put_off_to_the_end(cli: Cli) -> None:
    outcome, labels, diff = searched(cli, "--allow", "assumption,alignment")
    assert outcome[:2] == ["kept", "kept"] and "assumption" in labels and "[32][33]" in diff


@pytest.mark.thorough
def test_a_search_that_puts_decisions_off_ends_in_one_proposal_with_alternatives(cli: Cli) -> None:
    tiled, padded = code(POORLY_PADDED, "Go through a tile."), code(TILED_TRANSPOSE, "Pad it.", assumptions=["width is a multiple of 4"])
    model = ScriptedModel([plan(step("shared-tile", 11)), plan(step("shared-memory-padding", 12)), plan()], [tiled, padded])
    path = larger(cli)
    ended = optimize(cli, path, model, "--allow", "assumption", "--accept", "best-predicted")
    made = ended.one("proposal")
    (other,) = made["alternatives"]
    assert [one["verification"]["outcome"] for one in (made, other)] == ["PASS", "NEEDS_DECISION"]
    assert other["speed"]["ratio"] > made["speed"]["ratio"] > 1 and other["id"] == f"{made['id']}~1" and "assumption" in other["labels"]
    assert "[32][32]" in path.read_text("utf-8"), "what needs no decision is taken"
    assert cli.run("undo", made["id"]).code == 0
    shown = cli.run("show", made["id"], "--alternative", "1").out
    assert "[33]" in shown and "NEEDS_DECISION" in shown
    assert "alternative 1: " in cli.run("show", made["id"]).out
    assert cli.run("accept", made["id"], "--alternative", "2").code == 2
    assert cli.run("accept", made["id"], "--alternative", "1").code == 0
    assert "[33]" in path.read_text("utf-8")
    assert "[33]" in cli.run("show", made["id"]).out, "what was decided on is what is shown"
    assert cli.run("undo", made["id"]).code == 0 and "[33]" not in path.read_text("utf-8")
    assert cli.run("memory", "verify").code == 0


@pytest.mark.thorough
def test_a_search_goes_on_from_a_float4_edit_where_its_alignment_may_be_decided_on_later(cli: Cli) -> None:
    further = VECTOR.replace("const float *a", "const float *__restrict__ a")
    for options, plan_count in (((), 1), (("--allow", "alignment"), 3)):
        model = ScriptedModel([plan(step("vectorized-access", 6)), plan(step("restrict", 6)), plan()], [code(VECTOR), code(further)])
        ended = optimize(cli, cli.write("blend.cu", PROGRAM), model, *options)
        made = ended.one("proposal")
        assert (made["verification"]["outcome"], made["labels"]) == ("NEEDS_DECISION", ["alignment"])
        questions = model.questions("plan_reply")
        assert len(questions) == plan_count and ("Decisions on alignment are put off" in questions[0]) == bool(options)


def test_what_cannot_be_allowed_is_said_before_anything_runs(cli: Cli) -> None:
    ended = cli.run("optimize", cli.quick(), "--allow", "speed")
    assert ended.code == 2 and "--allow does not know 'speed'" in ended.err and "alignment, arch" in ended.err
