"""What launches have in common, told to people, and edits that rest on it."""

from __future__ import annotations

from typing import Any

import pytest

from tests.e2e.cli.harness import DATA, Cli
from tests.thorough import only

PARTICLES = (DATA / "recorded" / "particles.cu").read_text("utf-8")


def pairs(event: dict[str, Any]) -> dict[tuple[str, str], tuple[str, int]]:
    return {(pair["first"], pair["second"]): (pair["separation"], pair["launch_count"]) for pair in event["facts"]["pairs"]}


@pytest.mark.thorough
def test_every_launch_counts_those_too_whose_contents_are_not_kept(cli: Cli) -> None:
    ended = cli.run("profile", cli.write("particles.cu", PARTICLES), "--json")
    assert ended.code == 0, ended.said
    told = {event["kernel"].partition("(")[0]: event for event in ended.all("launch_facts")}
    assert list(told) == ["diffuse", "row_sums", "mix", "bump", "weigh"]
    assert pairs(told["diffuse"]) == {("next", "cur"): ("apart", 24)}
    assert told["diffuse"]["words"][0] == "in all 24 recorded launches `next` and `cur` never overlap"
    assert pairs(told["mix"]) == {("lo", "hi"): ("one_allocation", 1)}
    assert pairs(told["bump"]) == {("y", "x"): ("same_address", 1)}, "the 18th of 20 launches, of which 8 are kept"
    assert pairs(told["weigh"])["out", "weights"] == ("apart", 2)
    pointers = {pointer["name"]: pointer for pointer in told["weigh"]["facts"]["pointers"]}
    assert (pointers["x"]["alignment_bytes"], pointers["out"]["alignment_bytes"], pointers["weights"]["null_count"]) == (4, 256, 1)
    numbers = {number["name"]: number for number in told["row_sums"]["facts"]["scalars"]}
    assert (numbers["box.width"]["lowest"], numbers["box.height"]["highest"]) == (24, 40)


@pytest.mark.thorough
def test_an_edit_that_rests_on_recorded_launches_says_so_in_its_verdict(cli: Cli) -> None:
    ended = cli.run("optimize", cli.write("particles.cu", PARTICLES), "-k", "row_sums", "--json", "--rounds", "1", "--accept", "none")
    assert ended.code == 0, ended.said
    proposal = ended.one("proposal")
    assumed = "`sums` never overlaps `m`: true in the only recorded launch, but the text does not show it for other inputs"
    assert proposal["techniques"] == ["scalar-replacement"]
    assert len(proposal["assumptions"]) == 1 and proposal["assumptions"][0].startswith(assumed)
    assert proposal["verification"]["outcome"] == "NEEDS_DECISION"
    assert any(f["code"] == "assumption" and assumed in f["message"] for f in proposal["verification"]["findings"])
    assert "assumption" in proposal["verification"]["labels"]


PROMISED = {
    # kernel: (its parameters as they are, outcome, what the verdict says)
    "bump": ("float *y, float *x, int n", "FAIL", "one address was passed for both `y` and `x` in 1 of 20 recorded launches"),
    "diffuse": ("float *next, float *cur, int n", "NEEDS_DECISION", "`next` never overlaps `cur`: true in all 24 recorded launches"),
    "mix": ("float *lo, float *hi, int half", "NEEDS_DECISION", "`lo` and `hi` point into one allocation in the only recorded launch"),
}


@pytest.mark.thorough
@pytest.mark.parametrize("kernel", only(["bump"], PROMISED))
def test_a_promise_that_the_text_does_not_keep_is_held_against_the_recorded_launches(cli: Cli, kernel: str) -> None:
    parameters, outcome, words = PROMISED[kernel]
    assert parameters in PARTICLES
    promised = PARTICLES.replace(f"{kernel}({parameters}", f"{kernel}({parameters.replace('*', '*__restrict__ ')}")
    ended = cli.run("compare", cli.write("particles.cu", PARTICLES), cli.write("promised.cu", promised), "--json")
    verdict = ended.all("comparison")[-1]["verification"]
    assert verdict["outcome"] == outcome, verdict["findings"]
    assert any(words in finding["message"] for finding in verdict["findings"]), verdict["findings"]


@pytest.mark.thorough
def test_a_promise_that_the_text_keeps_needs_no_decision(cli: Cli) -> None:
    text = PARTICLES.replace("DeviceArray<float> m(n), sums(64);", "float *m, *sums; cudaMalloc(&m, n * 4); cudaMalloc(&sums, 256);")
    text = text.replace("m.put(std::vector<float>(h.begin(), h.begin() + n));", "cudaMemcpy(m, h.data(), n * 4, cudaMemcpyHostToDevice);")
    text = text.replace("sums.get()", "sums").replace("m.get()", "m")
    promised = text.replace("row_sums(float *sums, float *m", "row_sums(float *__restrict__ sums, float *__restrict__ m")
    ended = cli.run("compare", cli.write("particles.cu", text), cli.write("promised.cu", promised), "--json")
    verdict = ended.all("comparison")[-1]["verification"]
    assert verdict["outcome"] == "PASS", verdict["findings"]


SAXPY = """\
#include <cstdio>
__global__ void saxpy(float *y, const float *x, int n, float a) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = a * x[i] + y[i];
}
int main() {
    int sizes[2] = {1024, 333};
    float *x, *y, h[1024];
    cudaMalloc(&x, sizeof h); cudaMalloc(&y, sizeof h);
    for (int i = 0; i < 1024; i++) h[i] = i * 0.5f;
    cudaMemcpy(x, h, sizeof h, cudaMemcpyHostToDevice); cudaMemcpy(y, h, sizeof h, cudaMemcpyHostToDevice);
    for (int n : sizes) saxpy<<<(n + 255) / 256, 256>>>(y, x, n, 2.0f);
    cudaMemcpy(h, y, sizeof h, cudaMemcpyDeviceToHost);
    printf("%f\\n", h[300]);
}
"""


@pytest.mark.thorough
def test_an_assumption_that_a_recorded_launch_contradicts_fails_though_no_value_is_wrong(cli: Cli) -> None:
    assumed = SAXPY.replace("    int i = block", "    __builtin_assume(n % 4 == 0);\n    int i = block")
    ended = cli.run("compare", cli.write("saxpy.cu", SAXPY), cli.write("assumed.cu", assumed), "--json")
    verdict = ended.all("comparison")[-1]["verification"]
    assert verdict["outcome"] == "FAIL"
    (finding,) = (finding for finding in verdict["findings"] if finding["outcome"] == "FAIL")
    assert finding["code"] == "false_assumption" and "__builtin_assume(n % 4 == 0) does not hold" in finding["message"]


@pytest.mark.thorough
def test_a_promise_in_one_of_several_edited_files_is_held_against_the_recorded_launches(cli: Cli) -> None:
    header = "#pragma once\n__global__ void bump(float *y, float *x, int n) { int i = threadIdx.x; if (i < n) y[i] = x[i] + 1.0f; }\n"
    main = """#include <cstdio>
#include "bump.cuh"
int main() {
    float *d, host[64] = {1, 2, 3};
    cudaMalloc(&d, sizeof host);
    cudaMemcpy(d, host, sizeof host, cudaMemcpyHostToDevice);
    bump<<<1, 64>>>(d, d, 64);
    cudaMemcpy(host, d, sizeof host, cudaMemcpyDeviceToHost);
    printf("%g\\n", host[0]);
    return 0;
}
"""
    (cli.folder / "before").mkdir()
    (cli.folder / "after").mkdir()
    cli.write("before/bump.cuh", header)
    cli.write("after/bump.cuh", header.replace("float *y, float *x", "float *__restrict__ y, const float *__restrict__ x"))
    before, after = cli.write("before/main.cu", main), cli.write("after/main.cu", main.replace("<<<1, 64>>>", "<<<1, 96>>>"))
    verdict = cli.run("compare", before, after, "--json").all("comparison")[-1]["verification"]
    assert verdict["outcome"] == "FAIL"
    assert "contradicted_assumption" in {finding["code"] for finding in verdict["findings"]}
