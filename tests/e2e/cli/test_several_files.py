"""Edits over several files of a program, named by an edited copy of it: the verdict is that of all of them together."""

from __future__ import annotations

import json
import shutil

import pytest

from tests.e2e.cli.harness import DATA, Cli
from tests.e2e.cli.scripted_model import ScriptedModel, code, optimize, outcomes, plan, step
from tests.e2e.cli.test_programs import MAIN
from tests.e2e.cli.two_launches import write_project
from tests.thorough import first_of

EDITS = DATA / "edits" / "smooth"
ANSWERS = json.loads((EDITS / "answers.json").read_text("utf-8"))


@pytest.mark.thorough
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


SCALE = """\
#pragma once
__global__ void scale(float *v, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) v[i] = 1.5f * v[i] + 2.0f;
}
"""
LAUNCH = '#include "scale.cuh"\nvoid scale_all(float *v, int n) { scale<<<(n + 31) / 32, 32>>>(v, n); }\n'


def test_a_block_size_that_another_file_launches_is_found_accepted_and_taken_back(cli: Cli) -> None:
    main = cli.write("main.cu", MAIN.replace("grow_all", "scale_all").replace("double", "float").replace("1 << 13", "1 << 15"))
    header, unit = cli.write("scale.cuh", SCALE), cli.write("launch.cu", LAUNCH)
    cli.write("kernelopt.toml", "")
    ended = cli.run("optimize", header, "--accept", "none", "--device", "cpu", "--allow-host-code", "--json")
    proposal = ended.one("proposal")
    assert (proposal["file"], proposal["files"], proposal["techniques"]) == (str(header), [str(unit)], ["block-size-search"]), ended.said
    assert cli.run("accept", proposal["id"]).code == 0
    assert unit.read_text("utf-8") != LAUNCH and (header.read_text("utf-8"), main.is_file()) == (SCALE, True)
    assert cli.run("undo", proposal["id"]).code == 0 and unit.read_text("utf-8") == LAUNCH


@pytest.mark.thorough
def test_a_model_edits_a_kernel_and_its_launch_in_another_file_as_one(cli: Cli) -> None:
    cli.write("main.cu", MAIN.replace("grow_all", "scale_all").replace("double", "float"))
    header, unit = cli.write("scale.cuh", SCALE), cli.write("launch.cu", LAUNCH)
    cli.write("kernelopt.toml", "")
    kernel = SCALE[SCALE.index("__global__") :].replace("int n)", "int n, float add)").replace("2.0f;", "add;")
    launch = {"file": "launch.cu", "line": 2, "grid": "(n + 255) / 256", "block": "256", "shared": None, "arguments": ["v", "n", "2.0f"]}
    model = ScriptedModel([plan(step("block-size-search", 2, "KO112")), plan()], [code(kernel, launches=[launch])])
    ended = optimize(cli, header, model, "--allow-host-code", "--device", "cpu")
    assert outcomes(ended) == ["kept"], ended.said
    question = model.questions("code_reply")[0]
    assert "launch.cu, line 2: grid = (n + 31) / 32" in question and "main.cu" in question
    proposal = ended.one("proposal")
    assert proposal["files"] == [str(unit), str(header)] and proposal["verification"]["outcome"] == "PASS"
    assert cli.run("accept", proposal["id"]).code == 0
    assert "scale<<<(n + 255) / 256, 256>>>(v, n, 2.0f)" in unit.read_text("utf-8") and "float add" in header.read_text("utf-8")


@pytest.mark.thorough
def test_an_edit_of_a_shared_header_is_judged_in_every_program_that_uses_it(cli: Cli) -> None:
    folder = cli.folder / "shared_header"
    shutil.copytree(DATA / "programs" / "shared_header", folder)
    (folder / "kernelopt.toml").touch()
    header = folder / "common.cuh"
    assert cli.run("program", header, "--use", "check_transpose.cu").code == 0
    store = "= tile[threadIdx.x][threadIdx.y];"
    wrong = cli.write("wrong.cuh", header.read_text("utf-8").replace(store, "= TILE > 8 && x == 3 ? 7.f : tile[threadIdx.x][threadIdx.y];"))
    chosen = cli.run("compare", header, wrong, "--device", "cpu", "--json")
    assert (chosen.code, chosen.one("comparison")["verification"]["outcome"]) == (0, "PASS"), "it is right for tiles of 8"
    every = cli.run("compare", header, wrong, "--every-program", "--device", "cpu", "--json")
    assert [each["verification"]["outcome"] for each in every.all("comparison")] == ["FAIL", "PASS", "FAIL"]
    assert (every.code, every.one("job_ended")["reason"]) == (1, "FAIL: B is not equivalent to A in the program bench_transpose.cu")


@pytest.mark.thorough
def test_an_edit_that_another_program_of_the_header_cannot_have_is_not_offered(cli: Cli) -> None:
    header = write_project(cli, "[verification]\nin_every_program = true\n")
    ended = cli.run("optimize", header, "--device", "cpu", "--accept", "none", "--allow-host-code", "--json", deadline_s=300.0)
    assert ended.code == 0 and ended.all("proposal") == [], ended.said
    (why,) = [each["message"] for each in ended.all("message") if "is not offered" in each["message"]]
    assert "in the program wide.cu it is wrong" in why
    assert [each["outcome"] for each in ended.all("candidate")].count("kept") == 1, "in the program that was chosen it is right"
