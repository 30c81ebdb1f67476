"""Numbers that a model leaves open are tuned without asking it again, and the best is written into what is offered."""

from __future__ import annotations

import pytest

from tests.e2e.cli.harness import Cli
from tests.e2e.cli.kernels_of_a_model import TILED_TRANSPOSE
from tests.e2e.cli.scripted_model import ScriptedModel, code, optimize, outcomes, plan, step

OPEN = "#define PAD 0  // columns beside the tile\n" + TILED_TRANSPOSE.replace("[32][33]", "[32][32 + PAD]")
TUNED = {"tune": [{"name": "PAD", "values": [0, 1, 4, 9000]}], "constraints": ["PAD != 4"]}


@pytest.mark.thorough
def test_open_numbers_are_tuned_and_the_best_is_a_plain_constant(cli: Cli) -> None:
    model = ScriptedModel([plan(step("shared-tile", 11)), plan()], [code(OPEN, **TUNED)])
    ended = optimize(cli, cli.quick(), model)
    assert outcomes(ended) == ["kept"]
    assert len(model.questions("code_reply")) == 1
    tuning = ended.one("tuning")
    assert (tuning["setting_count"], tuning["method"], tuning["best"]) == (3, "predicted", [["PAD", 1]])
    points = {dict(point["values"])["PAD"]: point for point in tuning["points"]}
    assert points.keys() == {0, 1, 9000}
    assert points[1]["ratio"] > points[0]["ratio"]
    assert points[9000]["outcome"] == "build_failed"
    proposal = ended.one("proposal")
    assert proposal["verification"]["outcome"] == "PASS"
    assert "+#define PAD 1  // columns beside the tile" in proposal["diff"]


@pytest.mark.thorough
def test_a_constraint_that_cannot_be_used_goes_back_to_the_model(cli: Cli) -> None:
    wrong = {"tune": {"PAD": [0, 1]}, "constraints": "PAD <= warpSize"}
    model = ScriptedModel([plan(step("shared-tile", 11)), plan()], [code(OPEN, **wrong), code(OPEN, tune={"PAD": {"range": [0, 1]}})])
    ended = optimize(cli, cli.quick(), model)
    assert outcomes(ended) == ["not_better", "kept"]
    asked = model.questions("code_reply")[1]
    assert "the constraint 'PAD <= warpSize' is not a comparison of the tunables" in asked and "was judged with the numbers" in asked
    assert ended.one("tuning")["best"] == [["PAD", 1]]
    assert "+#define PAD 1" in ended.one("proposal")["diff"]


@pytest.mark.thorough
def test_a_number_that_another_file_of_the_edit_defines_is_tuned(cli: Cli) -> None:
    path = cli.small("transpose.cu")
    text = path.read_text("utf-8")
    kernel = text.index("__global__")
    path.write_text(f'{text[:kernel]}#include "tile.h"\n{text[kernel:].replace("* blockDim.x +", "* SIDE +")}', "utf-8")
    cli.write("tile.h", "#pragma once\n#define SIDE 32\n__global__ void fill(float *out) { out[threadIdx.x] = SIDE; }\n")
    answer = code(OPEN.partition("\n")[2], tune={"PAD": [0, 1]}) + "\n```cuda part=SIDE\n#define SIDE 32\n#define PAD 0\n```\n"
    ended = optimize(cli, path, ScriptedModel([plan(step("shared-tile", 12)), plan()], [answer]))
    assert outcomes(ended) == ["kept"], ended.one("candidate")["reason"]
    assert ended.one("tuning")["best"] == [["PAD", 1]]
    assert "+#define PAD 1" in ended.one("proposal")["diff"]
