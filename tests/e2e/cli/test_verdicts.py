"""Wrong edits are refused with the finding that names the fault; honest edits pass without a false alarm."""

from __future__ import annotations

import os
import re
import tomllib
from typing import Any

import pytest

from tests.e2e.cli.harness import CHEATS, DATA, Cli
from tests.e2e.cli.json_events import check_events
from tests.thorough import first_of, only

FOOLED = CHEATS.parents[1] / "docs" / "explanation" / "fooled.md"

EXPECTED: dict[str, dict[str, Any]] = tomllib.loads((CHEATS / "expected.toml").read_text("utf-8"))
ASSUMES_ALIGNMENT = "vectorized"
HONEST = tuple(sorted({path.name.split(".")[0] for path in (DATA / "honest").glob("*.cu")} - {ASSUMES_ALIGNMENT}))


def shown_first() -> list[str]:
    """Of every eighth way to fool a judge the version that is named first for it; ``make test-cheats`` compares all of all."""
    rows = [line.rsplit("|", 2)[1] for line in FOOLED.read_text("utf-8").splitlines() if re.match(r"\| \d+ \|", line)]
    named = [[name for name in re.findall(r"`([^`]+)`", names) if name in EXPECTED] for names in rows[::8]]
    return list(dict.fromkeys(names[0] for names in named if names))


def test_every_cheat_is_in_the_manifest() -> None:
    names = (path.relative_to(CHEATS).with_suffix("").as_posix() for path in CHEATS.rglob("*.cu") if path.stem != "original")
    assert sorted(EXPECTED) == sorted(names)


@pytest.mark.parametrize("name", EXPECTED if "KERNELOPT_ALL_CHEATS" in os.environ else first_of(shown_first()))
def test_a_version_gets_the_verdict_it_deserves(cli: Cli, name: str) -> None:
    expected = EXPECTED[name]
    version = CHEATS / f"{name}.cu"
    ended = cli.run("compare", version.with_name("original.cu"), version, "--json")
    check_events(ended)
    if expected["outcome"] == "CANNOT_JUDGE":
        assert ended.code == 3 and not ended.all("comparison")
        assert expected["reason"] in ended.out
        return
    comparison = ended.all("comparison")[-1]  # where host code is edited, too, of all that the program does
    verification = comparison["verification"]
    assert verification["outcome"] == expected["outcome"], verification["findings"]
    assert set(verification["labels"]) >= set(expected.get("labels", ()))
    found = {finding["code"] for finding in verification["findings"] if finding["outcome"] == expected["outcome"]}
    assert expected["outcome"] == "PASS" or found & set(expected["any_of"]), verification["findings"]
    if expected["outcome"] == "FAIL":
        assert ended.code == 1 and comparison["speed"] is None
    else:
        is_sum_of_launches = comparison["oracle"] == "program"  # no gain is told of it
        assert comparison["speed"]["outcome"] in (("PREDICTED", "INCONCLUSIVE") if is_sum_of_launches else ("PREDICTED",))


SLOWER = {"row_by_warp": 0.49}
"""Ratios that an H200 measured (0.48 to 0.49): 32 warps have 32 rows each, one after another."""
CANNOT_TELL = 0.08
"""The model's median error: by less it cannot tell."""


@pytest.mark.parametrize("name", HONEST if "KERNELOPT_ALL_CHEATS" in os.environ else only([], HONEST[::4]))
def test_an_honest_edit_passes_and_is_predicted_as_it_is(cli: Cli, name: str) -> None:
    folder = DATA / "honest"
    ended = cli.run("compare", folder / f"{name}.before.cu", folder / f"{name}.after.cu", "--json")
    comparison = ended.all("comparison")[-1]
    verification = comparison["verification"]
    assert verification["outcome"] == "PASS", verification["findings"]
    assert verification["cases"] and comparison["confirmed"]
    speed = comparison["speed"]
    assert speed["outcome"] == "PREDICTED" and abs(speed["ratio"] / SLOWER.get(name, speed["ratio"]) - 1) < CANNOT_TELL, speed
    assert name in SLOWER or speed["ratio"] > 1 - CANNOT_TELL, speed
    assert "performance model" in speed["method"]
    assert ended.code == (1 if name in SLOWER else 0), ended.one("job_ended")


NOT_CHECKED = "the order of streams not checked"


def streams_compared(cli: Cli, before: str, after: str) -> dict[str, Any]:
    for name, text in (("before.cu", before), ("after.cu", after)):
        (cli.folder / name).write_text(text)
    return cli.run("compare", "before.cu", "after.cu", "--json").one("comparison")["verification"]


def stream_text(name: str) -> str:
    return (CHEATS / "streams" / f"{name}.cu").read_text()


@pytest.mark.thorough
def test_an_edit_that_does_not_wait_is_refused_and_reported_what_does_not_wait_for_what(cli: Cli) -> None:
    verification = streams_compared(cli, stream_text("original"), stream_text("early_record"))
    assert verification["outcome"] == "FAIL"
    (finding,) = [found for found in verification["findings"] if found["code"] == "stream_order"]
    assert "nothing makes energy (launched on line 46) wait for a copy" in finding["message"]
    assert stream_text("early_record").splitlines()[45].strip().startswith("energy<<<")


@pytest.mark.thorough
def test_an_edit_that_waits_in_another_way_passes_without_a_word_about_streams(cli: Cli) -> None:
    verification = streams_compared(cli, stream_text("original"), stream_text("honest_host_wait"))
    assert verification["outcome"] == "PASS" and NOT_CHECKED not in verification["caveats"]


@pytest.mark.thorough
def test_where_the_original_does_not_wait_either_the_order_of_streams_is_not_checked(cli: Cli) -> None:
    before = stream_text("no_wait")
    verification = streams_compared(cli, before, before.replace("cudaStreamSynchronize(back)", "cudaDeviceSynchronize()"))
    assert verification["outcome"] == "PASS" and NOT_CHECKED in verification["caveats"]


@pytest.mark.thorough
def test_an_assumption_that_allocation_guarantees_is_left_to_a_person(cli: Cli) -> None:
    folder = DATA / "honest"
    before, after = (folder / f"{ASSUMES_ALIGNMENT}.{side}.cu" for side in ("before", "after"))
    ended = cli.run("compare", before, after, "--json")
    verification = ended.one("comparison")["verification"]
    assert verification["outcome"] == "NEEDS_DECISION", verification["findings"]
    assert "alignment" in verification["labels"]
    assert ended.code == 0, ended.one("job_ended")


@pytest.mark.thorough
def test_a_version_that_moves_more_memory_is_answered_with_no(cli: Cli) -> None:
    folder = DATA / "honest"
    ended = cli.run("compare", folder / "transpose.after.cu", folder / "transpose.before.cu", "--json")
    assert ended.code == 1
    assert ended.one("comparison")["verification"]["outcome"] == "PASS"
    assert ended.one("comparison")["speed"]["ratio"] < 1.0


@pytest.mark.thorough
def test_a_changed_kernel_that_never_runs_is_named_and_not_covered_by_another(cli: Cli) -> None:
    idle = "__global__ void idle(float *out, int n) { if (threadIdx.x < n) out[threadIdx.x] += 1.0f; }\n"
    text = PRECISE.replace("__global__ void soften", idle + "__global__ void soften")
    after = text.replace("+= 1.0f", "+= 2.0f").replace("int i = blockIdx.x", "const int i = blockIdx.x")
    ended = cli.run("compare", cli.write("a.cu", text), cli.write("b.cu", after), "--json")
    outcomes = {event["kernel"]: event["verification"]["outcome"] for event in ended.all("comparison")}
    assert outcomes["soften(float *, const float *, int)"] == "PASS"
    assert outcomes["idle(float *, int)"] == outcomes[None] == "NEEDS_DECISION"
    assert ended.code == 0


@pytest.mark.thorough
def test_an_edited_neighbour_gives_no_label_to_a_kernel_and_strict_turns_what_a_person_must_decide_into_no(cli: Cli) -> None:
    """Both kernels are launched; only the second becomes less precise, only it is judged and labelled."""
    second = "__global__ void grow(float *out, int n) { int i = blockIdx.x * 128 + threadIdx.x; if (i < n) out[i] = expf(out[i]); }\n"
    text = PRECISE.replace("__global__ void soften", second + "__global__ void soften")
    text = text.replace("(out, in, n);", "(out, in, n);\n    grow<<<(n + 127) / 128, 128>>>(out, n);")
    after = text.replace("out[i] = expf(out[i])", "out[i] = __expf(out[i])").replace(
        "int i = blockIdx.x * blockDim", "const int i = blockIdx.x * blockDim"
    )
    ended = cli.run("compare", cli.write("a.cu", text), cli.write("b.cu", after), "--json", "--strict")
    overall = ended.all("comparison")[-1]
    assert overall["kernel"] is None and overall["verification"]["outcome"] == "NEEDS_DECISION", ended.said
    assert overall["verification"]["labels"] and ended.code == 1
    labels = {event["kernel"]: event["verification"]["labels"] for event in ended.all("comparison")}
    assert labels["soften(float *, const float *, int)"] == [] and "fast-math" in labels["grow(float *, int)"]


@pytest.mark.thorough
def test_what_only_the_emulators_compiler_refuses_is_no_fault_of_the_version(cli: Cli) -> None:
    text = (CHEATS / "original.cu").read_text("utf-8")
    before = cli.write("before.cu", text)
    after = cli.write("after.cu", text.replace("int main() {", "int main() {\n  unsigned long long id;\n  cudaStreamGetId(nullptr, &id);"))
    ended = cli.run("compare", before, after, "--json")
    assert ended.code == 3 and not ended.all("comparison")
    assert "the emulator cannot build what nvcc" in ended.one("job_ended")["reason"]


@pytest.mark.thorough
def test_a_racy_original_cannot_judge_anything(cli: Cli) -> None:
    """B is the right one; A's results are arbitrary."""
    ended = cli.run("compare", CHEATS / "missing_barrier.cu", CHEATS / "original.cu")
    assert ended.code == 3
    assert "original's own results are arbitrary" in ended.said and "kernelopt check" in ended.said
    assert "the same checks find nothing in a run of B" in ended.said


BESIDE = """__global__ void step(const float *in, float *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = in[i + 1] - in[i];
}
int main()
{
    const int n = 1000;
    float *a, *b, host[n];
    for (int i = 0; i < n; i++) host[i] = i * 0.5f;
    cudaMalloc(&a, sizeof host);
    cudaMalloc(&b, sizeof host);
    cudaMemcpy(a, host, sizeof host, cudaMemcpyHostToDevice);
    step<<<4, 256>>>(a, b, n);
    cudaMemcpy(host, b, sizeof host, cudaMemcpyDeviceToHost);
}
"""


@pytest.mark.thorough
def test_the_fix_of_an_original_that_reads_beside_its_array_is_no_fail(cli: Cli) -> None:
    fixed = cli.write("fixed.cu", BESIDE.replace("in[i + 1] - in[i]", "(i + 1 < n ? in[i + 1] : 0.0f) - in[i]"))
    ended = cli.run("compare", cli.write("beside.cu", BESIDE), fixed)
    assert ended.code == 3, ended.said
    assert "the original's own results are arbitrary: out of bounds in step on line 4 of beside.cu" in ended.said


PRECISE = """#include <cstdio>
#include <cmath>
__global__ void soften(float *out, const float *in, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = expf(in[i]) / (1.0f + expf(in[i]));
}
int main()
{
    const int n = 1000;
    static float host[n];
    for (int i = 0; i < n; i++) host[i] = (float)(i % 17) - 8.0f;
    float *in, *out;
    cudaMalloc(&in, sizeof host);
    cudaMalloc(&out, sizeof host);
    cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice);
    soften<<<(n + 127) / 128, 128>>>(out, in, n);
    cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost);
    double sum = 0;
    for (int i = 0; i < n; i++) sum += host[i];
    printf("%.3f\\n", sum);
    return 0;
}
"""
