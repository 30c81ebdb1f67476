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

LOOK_UP = """\
#include <cstdio>
#include <vector>

__global__ void lookUp(int count, const int *place, const float *table, float *found)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count)
        found[i] = table[place[i]] * 2.0f;
}

int main()
{
    const int count = 5000, entries = 17 << 20;
    std::vector<float> table(entries), found(count);
    std::vector<int> place(count);
    for (int i = 0; i < entries; ++i)
        table[i] = i % 1000 / 8.0f;
    for (int i = 0; i < count; ++i)
        place[i] = i * 7919 % entries;
    int *d_place;
    float *d_table, *d_found;
    cudaMalloc(&d_place, count * sizeof(int));
    cudaMalloc(&d_table, entries * sizeof(float));
    cudaMalloc(&d_found, count * sizeof(float));
    cudaMemcpy(d_place, place.data(), count * sizeof(int), cudaMemcpyHostToDevice);
    cudaMemcpy(d_table, table.data(), entries * sizeof(float), cudaMemcpyHostToDevice);
    lookUp<<<(count + 255) / 256, 256>>>(count, d_place, d_table, d_found);
    cudaMemcpy(found.data(), d_found, count * sizeof(float), cudaMemcpyDeviceToHost);
    printf("%f %f\\n", found[1], found[count - 1]);
}
"""
"""No parameter says how large the table is, so that a launch for fewer places holds as much data."""


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


@pytest.mark.thorough
@pytest.mark.parametrize(("edited", "outcome"), [("table[place[i]] + table[place[i]]", "PASS"), ("table[place[i ^ 1]] * 2.0f", "FAIL")])
def test_a_launch_that_stays_large_at_any_size_is_judged_all_the_same(cli: Cli, edited: str, outcome: str) -> None:
    """Smaller ones were made of smaller ones without end."""
    version = LOOK_UP.replace("table[place[i]] * 2.0f", edited)
    verdict = cli.run("compare", cli.write("a.cu", LOOK_UP), cli.write("b.cu", version), "--json").one("comparison")["verification"]
    assert verdict["outcome"] == outcome, verdict
    if outcome == "PASS":
        assert {case["kind"] for case in verdict["cases"]} >= {"resized", "resampled"}, verdict["cases"]
