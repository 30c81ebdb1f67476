"""A search that goes on from edits which a person has yet to decide on."""

from __future__ import annotations

from tests.e2e.cli.harness import Cli
from tests.e2e.cli.kernels_of_a_model import TILED_TRANSPOSE
from tests.e2e.cli.scripted_model import ScriptedModel, code, optimize, outcomes, plan, step

POORLY_PADDED = TILED_TRANSPOSE.replace("[33]", "[48]")
ASSUMING = code(POORLY_PADDED, "Go through a tile.", assumptions=["width is a multiple of 4"])
PADDED = code(TILED_TRANSPOSE, "Pad the tile.")


def searched(cli: Cli, *options: str) -> tuple[list[str], list[str], str]:
    """(outcomes of its candidates, labels of what it offers, the offer's diff)."""
    model = ScriptedModel([plan(step("shared-tile", 11)), plan(step("shared-memory-padding", 12)), plan()], [ASSUMING, PADDED])
    ended = optimize(cli, cli.quick(), model, *options)
    offered = ended.one("proposal")
    assert offered["verification"]["outcome"] == "NEEDS_DECISION", [(one["outcome"], one["reason"]) for one in ended.all("candidate")]
    return outcomes(ended), offered["labels"], offered["diff"]


def test_nothing_is_built_on_an_edit_that_a_person_must_decide_on(cli: Cli) -> None:
    outcome, labels, diff = searched(cli)
    assert outcome == ["kept"] and "assumption" in labels and "[32][48]" in diff


def test_a_decision_that_was_allowed_is_put_off_to_the_end(cli: Cli) -> None:
    outcome, labels, diff = searched(cli, "--allow", "assumption,alignment")
    assert outcome[:2] == ["kept", "kept"] and "assumption" in labels and "[32][33]" in diff


def test_what_asks_for_no_decision_is_offered_beside_it_and_may_be_taken(cli: Cli) -> None:
    tiled, padded = code(POORLY_PADDED, "Go through a tile."), code(TILED_TRANSPOSE, "Pad it.", assumptions=["width is a multiple of 4"])
    model = ScriptedModel([plan(step("shared-tile", 11)), plan(step("shared-memory-padding", 12)), plan()], [tiled, padded])
    path = cli.quick()
    ended = optimize(cli, path, model, "--allow", "assumption", "--accept", "best-predicted")
    first, second = ended.all("proposal")
    assert [one["verification"]["outcome"] for one in (first, second)] == ["NEEDS_DECISION", "PASS"]
    assert first["speed"]["ratio"] > second["speed"]["ratio"] > 1
    assert "[48]" in path.read_text("utf-8"), "what needs no decision is taken, the other one stays open"
    assert '"open"' in cli.run("show", first["id"], "--json").out


def test_what_cannot_be_allowed_is_said_before_anything_runs(cli: Cli) -> None:
    ended = cli.run("optimize", cli.quick(), "--allow", "speed")
    assert ended.code == 2 and "--allow does not know 'speed'" in ended.err and "alignment, arch" in ended.err
