"""The whole loop with a scripted model over real HTTP: plan, code, fixing, the judge, the proposal. One example each."""

from __future__ import annotations

import json

import pytest

from tests.e2e.cli.event_log import comparable, printed_log, story
from tests.e2e.cli.harness import EXAMPLES, ROOT, Cli
from tests.e2e.cli.kernels_of_a_model import PADDED_TILE, REGISTER_SUM, ROW_BY_ROW, SAME_STORES, TILED_TRANSPOSE
from tests.e2e.cli.scripted_model import LONG_S, ONE_VARIANT, ScriptedModel, asked_by, code, optimize, outcomes, plan, step


@pytest.mark.thorough
def test_an_unknown_name_in_a_template_is_fixed_too(cli: Cli) -> None:
    broken = PADDED_TILE.replace("TILE + 1", "TILE + PADDING")
    model = ScriptedModel([plan(step("shared-memory-padding", 10, "KO103")), plan()], [code(broken), code(PADDED_TILE)])
    ended = optimize(cli, cli.small("bank_conflicts.cu"), model)
    assert outcomes(ended) == ["build_failed", "kept"]
    assert "PADDING" in model.questions("code_reply")[1]
    assert "-  __shared__ T tile[TILE][TILE];" in ended.one("proposal")["diff"]


@pytest.mark.thorough
def test_a_wrong_answer_is_fixed_by_the_failing_case(cli: Cli) -> None:
    wrong = REGISTER_SUM.replace("int k = 0", "int k = 1")
    model = ScriptedModel([plan(step("scalar-replacement", 12, "KO113")), plan()], [code(wrong), code(REGISTER_SUM)])
    ended = optimize(cli, cli.small("accumulator.cu"), model)
    assert outcomes(ended) == ["failed", "kept"]
    repair = model.questions("code_reply")[1]
    assert "int k = 1" in repair and "expected" in repair.lower()
    assert ended.one("proposal")["verification"]["outcome"] == "PASS"


@pytest.mark.thorough
def test_a_partly_written_result_is_fixed_by_the_failing_case(cli: Cli) -> None:
    swapped = ROW_BY_ROW.replace("i += count", "i += rows * cols").replace("blockIdx.y * gridDim.x + blockIdx.x", "blockIdx.x")
    model = ScriptedModel([plan(step("coalescing-interchange", 17, "KO101")), plan()], [code(swapped), code(ROW_BY_ROW)])
    ended = optimize(cli, cli.write("row_walk.cu", (EXAMPLES / "row_walk.cu").read_text("utf-8")), model)
    assert outcomes(ended) == ["failed", "kept"]
    assert ended.one("proposal")["speed"]["ratio"] > 1.01


@pytest.mark.thorough
def test_an_edit_that_gains_nothing_is_refined_by_what_it_did(cli: Cli) -> None:
    model = ScriptedModel([plan(step("shared-tile", 11)), plan()], [code(SAME_STORES), code(TILED_TRANSPOSE)])
    ended = optimize(cli, cli.quick(), model)
    assert outcomes(ended) == ["not_better", "kept"]
    assert "global_sectors" in model.questions("code_reply")[1]
    assert all("at least 1.01" in question for question in model.questions("plan_reply") + model.questions("code_reply"))


@pytest.mark.thorough
def test_a_changed_launch_waits_for_the_right_to_edit_host_code(cli: Cli) -> None:
    launch = {"line": 28, "grid": "(n + 255) / 256", "block": "256", "shared": None, "arguments": None}
    answer = json.dumps(
        {"summary": "Launch larger blocks.", "parts": [], "launches": [launch], "includes": [], "assumptions": [], "risks": []}
    )
    path = cli.small("block_size.cu")
    refused = optimize(cli, path, ScriptedModel([plan(step("block-size-search", 28, "KO105")), plan()], [answer]))
    assert outcomes(refused) == ["not_allowed"]
    assert not refused.all("proposal")
    allowed = optimize(cli, path, ScriptedModel([plan(step("block-size-search", 28, "KO105")), plan()], [answer]), "--allow-host-code")
    assert outcomes(allowed) == ["kept"]
    assert "host-code" in allowed.one("proposal")["labels"]


@pytest.mark.thorough
def test_the_same_code_in_other_words_is_not_judged_twice(cli: Cli) -> None:
    commented = TILED_TRANSPOSE.replace("    __syncthreads();", "    // everybody has written\n    __syncthreads( );")
    with asked_by(
        cli,
        model := ScriptedModel([plan(step("shared-tile", 11)), plan()], [code(TILED_TRANSPOSE), code(commented)]),
        search={"variants": 2},
    ):
        ended = cli.run("optimize", cli.quick(), "--planner", "llm", "--json", deadline_s=LONG_S)
    again, tried = sorted(ended.all("candidate"), key=lambda candidate: candidate["outcome"])
    assert (again["outcome"], tried["outcome"]) == ("duplicate", "kept"), "the other one may still be under way when it is known"
    assert again["reason"].startswith("but for comments and spacing it is the same as ")
    assert len(model.questions("code_reply")) == 2


@pytest.mark.thorough
def test_what_the_compiler_and_the_judge_said_fixes_a_kernel_and_the_log_is_the_one_that_the_docs_print(cli: Cli) -> None:
    broken = TILED_TRANSPOSE.replace("tile[32][33];", "tile[32][33]")
    wrong = TILED_TRANSPOSE.replace("oy * height + ox", "ox * width + oy")
    first = plan(step("shared-tile", 11, "KO101", predicted_speedup=3.0))
    model = ScriptedModel([first, plan()], [code(broken), code(wrong), code(TILED_TRANSPOSE)])
    ended = optimize(cli, cli.example("transpose.cu"), model)
    assert outcomes(ended) == ["build_failed", "failed", "kept"]
    first, repair, last = model.questions("code_reply")
    assert "expected" in repair and "tile[32][33]" in repair and repair != first, "what the compiler said"
    assert "expected" in last
    proposal = ended.one("proposal")
    assert (proposal["verification"]["outcome"], proposal["speed"]["outcome"]) == ("PASS", "PREDICTED")
    assert proposal["model"] == "scripted-1"
    assert comparable(story(ended.events)) == comparable(printed_log(ROOT / "docs" / "explanation" / "planning.md"))


@pytest.mark.thorough
def test_one_answer_with_drafts_brings_plan_and_code(cli: Cli) -> None:
    """What stands in a draft is neither plan nor code, whatever it looks like."""
    draft = f"<think>{plan(step('draft', 11))}\n{code(SAME_STORES)}</think>\n"
    written = code(TILED_TRANSPOSE, step=1)
    model = ScriptedModel(codes=[f"{draft}{plan(step('shared-tile', 11))}\n{written}", plan()])
    with asked_by(cli, model, search=ONE_VARIANT, provider={"plan_with_code": True}):
        ended = cli.run("optimize", cli.quick(), "--planner", "llm", "--json", deadline_s=LONG_S)
    assert [(one["technique"], one["outcome"]) for one in ended.all("candidate")] == [("shared-tile", "kept")]
    assert [call["role"] for call in ended.all("model_call")] == ["planner", "planner", "summariser"]
    assert "[32][33]" in ended.one("proposal")["diff"]


@pytest.mark.thorough
def test_islands_ask_models_of_their_own(cli: Cli) -> None:
    broken = TILED_TRANSPOSE.replace("tile[32][33];", "tile[32][33]")
    model = ScriptedModel([plan(step("shared-tile", 11))], [code(broken), code(broken), code(TILED_TRANSPOSE)])
    with asked_by(cli, model, provider={"island_models": ["other"]}, search={"variants": 1, "beam": 2}):
        ended = cli.run("optimize", cli.quick(), "--planner", "llm", "--json", "--rounds", "1", deadline_s=LONG_S)
    assert ended.code == 0, ended.said
    by_form = {form: {asked.body["model"] for known, asked in model.asked if known == form} for form, _ in model.asked}
    assert by_form["plan_reply"] == {"scripted", "other"} and by_form["explanation_reply"] == {"scripted"}


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("first", "differs", "outcome"),
    [
        (TILED_TRANSPOSE.replace("tile[32][33];", "tile[32][33]"), "", "build_failed"),
        (SAME_STORES, "a tile with a padded row", "not_better"),
    ],
    ids=["a missing semicolon", "something new"],
)
def test_a_step_that_came_to_nothing_may_be_proposed_again(cli: Cli, first: str, differs: str, outcome: str) -> None:
    planned = step("shared-tile", 11, "KO101")
    model = ScriptedModel([plan(planned), plan(planned | {"differs": differs}), plan()], [code(first), code(TILED_TRANSPOSE)])
    with asked_by(cli, model, search=ONE_VARIANT | {"repairs": 0}):
        ended = cli.run("optimize", cli.quick(), "--planner", "llm", "--json", deadline_s=LONG_S)
    assert outcomes(ended) == [outcome, "kept"]
    assert (f"Unlike what was tried before: {differs}" in model.questions("code_reply")[1]) is bool(differs)
