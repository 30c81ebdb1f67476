"""Numbers that a model leaves open are tuned without asking it again, and the best is written into what is offered."""

from __future__ import annotations

import json

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


@pytest.mark.parametrize("is_changed", [True, pytest.param(False, marks=pytest.mark.thorough)])
def test_a_constant_of_a_header_without_kernels_is_edited_and_tuned(cli: Cli, is_changed: bool) -> None:
    """A program keeps its tile's size in a header of constants: a model may give that constant, or name it alone."""
    path = cli.small("transpose.cu")
    text = path.read_text("utf-8")
    end = text.index("int main")
    tiled = TILED_TRANSPOSE.replace("[32][33]", "[32][32 + PAD]")
    path.write_text(f'{text[: text.index("__global__")]}#include "config.cuh"\n{tiled}\n\n{text[end:]}', "utf-8")
    config = "// sizes of the program\n#pragma once\nconstexpr int PAD = 0;  // columns beside the tile\n"
    cli.write("config.cuh", config)
    other = tiled.replace("ox < height && oy < width", "oy < width && ox < height")
    part = "PAD\nconstexpr int PAD = 32;" if is_changed else f"kernel\n{other}"
    header = json.dumps({"summary": "Pad the tile.", "tune": {"PAD": [0, 1]}})
    answer = f"{header}\n\n```cuda part={part}\n```\n"
    model = ScriptedModel([plan(step("pad", 12)), plan()], [answer])
    ended = optimize(cli, path, model, "--allow-host-code")
    assert outcomes(ended)[:1] == ["kept"], ended.said
    assert ended.one("tuning")["best"] == [["PAD", 1]]
    proposal = ended.one("proposal")
    assert "config.cuh" in proposal["diff"] and "+constexpr int PAD = 1;" in proposal["diff"]
    assert "constexpr int PAD" in model.questions("code_reply")[0]
    assert cli.run("accept", proposal["id"]).code == 0
    assert "constexpr int PAD = 1;" in (path.parent / "config.cuh").read_text("utf-8")
