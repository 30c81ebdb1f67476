"""A suite from its folder to its results: programs that fail, are at their bound, and gain; a killed run goes on; misuse."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from assistant.bench.suite_file import SuiteProgram, read_suite
from tests.e2e.cli.harness import Cli

LONG_S = 600.0
BROKEN = "__global__ void k(float *x) { x[0] = y; }\nint main() { k<<<1, 1>>>(nullptr); }\n"
HOST = """
int main()
{
    static float in[N], out[M];
    for (int i = 0; i < N; i++) in[i] = i % 7;
    float *d_in, *d_out;
    cudaMalloc(&d_in, sizeof in);
    cudaMalloc(&d_out, sizeof out);
    cudaMemcpy(d_in, in, sizeof in, cudaMemcpyHostToDevice);
    work<<<M / 64, 64>>>(d_in, d_out);
    cudaMemcpy(out, d_out, sizeof out, cudaMemcpyDeviceToHost);
    printf("%g\\n", out[M - 1]);
    cudaFree(d_in);
    cudaFree(d_out);
}
"""
COPY = """#include <cstdio>
#define N 64
#define M 64
__global__ void work(const float *__restrict__ in, float *__restrict__ out)
{
    out[threadIdx.x] = in[threadIdx.x];
}
"""
SUMS = """#include <cstdio>
#define N 2560
#define M 64
__global__ void work(const float *in, float *out)
{
    int column = threadIdx.x;
    out[column] = 0;
    for (int row = 0; row < N / M; row++)
        out[column] += in[row * M + column];
}
"""
SUITE = """[[program]]
name = "broken"
files = ["broken.cu"]

[[program]]
name = "copy"
files = ["copy.cu"]
bytes = "512"
derivation = "64 floats read and written"

[[program]]
name = "sums"
files = ["sums.cu"]
bytes = "4*(2560 + 64)"
operations = "2560"
derivation = "read, added, written"
"""


PROGRAMS = Path(__file__).parents[3] / "benchmarks" / "suite"


def suite(cli: Cli) -> Path:
    folder = cli.folder / "suite"
    folder.mkdir()
    for name, text in (("broken", BROKEN), ("copy", COPY + HOST), ("sums", SUMS + HOST)):
        (folder / f"{name}.cu").write_text(text)
    (folder / "suite.toml").write_text(SUITE)
    return folder


def rows(out: Path) -> dict[str, dict[str, Any]]:
    return {row["name"]: row for row in json.loads((out / "results.json").read_text("utf-8"))["rows"]}


@pytest.mark.thorough
def test_a_killed_run_goes_on_and_ends_with_every_result(killed: Cli) -> None:
    """Killed after its first row, by SIGKILL, in the middle of the next."""
    folder, out = suite(killed), killed.folder / "out"
    texts = {path.name: path.read_text() for path in folder.iterdir()}
    command: list[str | Path] = ["bench", folder, "--out", out, "--device", "cpu", "--json"]
    process = killed.start(*command)
    assert process.stdout is not None
    first = json.loads(process.stdout.readline())
    process.kill()
    process.communicate()
    assert (first["name"], first["outcome"]) == ("broken", "failed") and "broken.cu:1" in first["reason"]

    ended = killed.run(*command, "--resume", deadline_s=LONG_S)
    assert ended.code == 0, ended.said
    told = [json.loads(line) for line in ended.out.splitlines()]
    assert [row.get("name") for row in told] == ["copy", "sums", None], "finished rows are not run again"
    found = rows(out)
    assert found["broken"]["cost"]["wall_s"] == first["cost"]["wall_s"]
    assert (found["copy"]["outcome"], found["copy"]["counted_ratio"]) == ("nothing to propose", 1.0)
    gain = found["sums"]
    assert (gain["outcome"], gain["speed"]) == ("faster", "PREDICTED"), gain["reason"]
    assert gain["verification"].startswith("PASS") and gain["ratio"] > 1.1 and gain["chain"] and "work" in gain["diff"]
    assert gain["distance"] > gain["best_distance"] == pytest.approx(gain["distance"] / gain["ratio"])
    mean = told[-1]["figures"]["all"]
    assert mean == {"count": 3, "geometric_mean": pytest.approx(gain["ratio"] ** (1 / 3))}

    page = (out / "results.md").read_text("utf-8")
    assert "PREDICTED by the performance model: nothing was timed" in page and "- broken: " in page
    assert (out / "results.svg").read_text("utf-8").startswith("<svg")
    assert {path.name: path.read_text() for path in folder.iterdir()} == texts, "the user's files stay as they are"
    assert killed.left_behind() == [], "the killed run's copy goes with the next one"
    assert not (killed.home / "memory.sqlite3").exists(), "the user's memory learns nothing of it"


def test_a_finished_run_is_not_begun_again_by_mistake(cli: Cli) -> None:
    folder, out = suite(cli), cli.folder / "out"
    command: list[str | Path] = ["bench", folder, "--out", out, "--device", "cpu", "--programs", "broken"]
    ended = cli.run(*command)
    assert ended.code == 0 and "[1/1] broken: failed: " in ended.out and "1 run: 1 failed" in ended.out, ended.said
    refused = cli.run(*command)
    assert refused.code == 2 and "holds the results of a run already" in refused.err
    resumed = cli.run(*command, "--resume")
    assert resumed.code == 0 and "1 of 1 runs are finished already" in resumed.out and "[1/1]" not in resumed.out
    other = cli.run(*command, "--resume", "--target", "a100")
    assert other.code == 2 and "target was None, is 'a100'" in other.err


@pytest.mark.parametrize(
    ("text", "options", "words"),
    [
        (None, (), "there is no program below"),
        ("[[program]", (), "cannot be read"),
        (SUITE + SUITE, (), "two programs are called broken"),
        (SUITE, ("--programs", "gone"), "there is no program called gone"),
        (SUITE, ("--sizes", "7"), "broken has no size '7'"),
        (SUITE, ("--allow", "everything"), "--allow does not know 'everything'"),
        (SUITE, ("--resume",), "there is nothing to resume"),
        (SUITE, ("--device", "gpu:99", "--sizes", "1"), "--device gpu:99"),
        (SUITE, ("--target", "abacus"), "no target called 'abacus'"),
        (SUITE, ("--planner", "oracle"), "--planner takes expert, llm, agent or auto"),
    ],
)
def test_misuse_is_answered_before_anything_runs(cli: Cli, text: str | None, options: tuple[str, ...], words: str) -> None:
    folder = suite(cli) if text is not None else cli.folder / "empty"
    if text is None:
        folder.mkdir()
    else:
        (folder / "suite.toml").write_text(text)
    ended = cli.run("bench", folder, "--out", cli.folder / "out", *options)
    assert ended.code in (2, 3) and words in ended.err, ended.said
    assert not (cli.folder / "out").exists()


def test_a_folder_must_be_one(cli: Cli) -> None:
    ended = cli.run("bench", cli.folder / "gone")
    assert ended.code == 2 and "is not a folder" in ended.err


@pytest.mark.thorough
@pytest.mark.parametrize("program", read_suite(PROGRAMS / "suite.toml"), ids=lambda program: program.name)
def test_each_program_of_the_suite_is_right_at_its_smallest_size(cli: Cli, program: SuiteProgram) -> None:
    sources, size = (PROGRAMS / file for file in program.files), map(str, program.sizes[0])
    ended = cli.run("check", *sources, "--device", "cpu", "--", *size, deadline_s=LONG_S)
    assert ended.code == 0 and "no problem found" in ended.out, ended.said
