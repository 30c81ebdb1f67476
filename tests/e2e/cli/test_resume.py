"""A killed search goes on: nothing found is lost, nothing is tried twice."""

from __future__ import annotations

import json
from collections.abc import Generator
from pathlib import Path
from typing import Any

import pytest

from assistant.memory import open_store
from assistant.model.attempt import Attempt
from tests.e2e.cli.harness import Cli, Ended, no_orphans, quick_text, working_cli

LONG_S = 600.0
"""A search of several rounds on a loaded machine."""
ANY_BLOCK = quick_text().replace("x * 32", "x * blockDim.x").replace("y * 32", "y * blockDim.y")
TWO_KERNELS = quick_text() + quick_text().replace("transpose(", "turn(").replace("workload.transpose", "workload.turn")


@pytest.fixture
def killed(tmp_path: Path) -> Generator[Cli]:
    """As ``cli``; a killed command leaves its scratch."""
    with working_cli(tmp_path) as made, no_orphans():
        yield made


def kill_after(cli: Cli, path: Path, event: str, count: int = 1, options: tuple[str, ...] = ()) -> list[dict[str, Any]]:
    """Start ``optimize``, kill it when it has told ``count`` events of that name; what it told."""
    process = cli.start(*search(path, options))
    assert process.stdout is not None
    told: list[dict[str, Any]] = []
    for line in process.stdout:
        told.append(json.loads(line))
        if sum(item["event"] == event for item in told) == count:
            break
    process.kill()
    process.communicate()
    assert cli.left_running() == []
    return told


def attempts(cli: Cli) -> tuple[Attempt, ...]:
    with open_store(cli.home / "memory.sqlite3") as store:
        return store.attempts(limit=1000)


def search(path: Path, options: tuple[str, ...]) -> list[str | Path]:
    return ["optimize", path, "--json", "--accept", "none", *options]


def resume(cli: Cli, path: Path, options: tuple[str, ...] = ()) -> Ended:
    return cli.run(*search(path, options), "--resume", deadline_s=LONG_S)


def test_a_killed_search_ends_where_a_whole_one_does(killed: Cli) -> None:
    """It is killed when two settings of its second candidate's numbers were judged."""
    settings = 2
    options = ("--kernel", "transpose", "--allow-host-code")
    path = killed.write("transpose.cu", ANY_BLOCK)
    told = kill_after(killed, path, "setting", settings, options)
    ended = resume(killed, path, options)
    assert ended.code == 0, ended.said
    tried = [(item.parent_text, item.text) for item in attempts(killed)]
    assert len(tried) == len(set(tried)), "a candidate was tried twice"
    before = [item["candidate"] for item in told if item["event"] == "candidate"]
    shown = [item["candidate"] for item in ended.all("candidate")]
    assert before and shown[: len(before)] == before
    assert len(shown) == len(set(shown)) == len(tried) > len(before)
    judged = [(item["before_sha256"], item["after_sha256"]) for item in ended.all("setting")]
    assert [item["candidate"] for item in ended.all("setting")][:settings] == [
        item["candidate"] for item in told if item["event"] == "setting"
    ]
    assert len(judged) == len(set(judged)) > settings, "a setting was judged twice"
    whole = killed.with_new_memory().run(*search(path, options), deadline_s=LONG_S)
    assert [item["points"] for item in ended.all("tuning")] == [item["points"] for item in whole.all("tuning")] != []
    assert diffs(ended) == diffs(whole)
    assert killed.left_behind() == [], "the killed search's folder goes with the next one"


def diffs(ended: Ended) -> list[str]:
    return [proposal["diff"] for proposal in ended.all("proposal")]


@pytest.mark.thorough
def test_a_proposal_stays_open_and_its_kernel_is_not_searched_again(killed: Cli) -> None:
    path = killed.write("two.cu", TWO_KERNELS)
    told = kill_after(killed, path, "proposal")
    first = next(item for item in told if item["event"] == "proposal")
    ended = resume(killed, path)
    assert ended.code == 0, ended.said
    kernels = [item["kernel"] for item in ended.all("proposal")]
    assert kernels[0] == first["kernel"] and len(kernels) == len(set(kernels)) == 2
    assert first["id"] in [item["id"] for item in killed.open_proposals()]
    new = [item for item in ended.all("findings") if item["job"] != first["job"]]
    assert new and all(not item["kernel"].startswith(first["kernel"].partition("(")[0] + "(") for item in new)


@pytest.mark.thorough
def test_an_edited_file_is_searched_anew(killed: Cli) -> None:
    path = killed.quick()
    kill_after(killed, path, "candidate")
    path.write_text("// mine\n" + path.read_text("utf-8"), "utf-8")
    ended = resume(killed, path)
    assert ended.code == 0, ended.said
    assert any("changed since" in item["message"] for item in ended.all("message"))
    assert len(ended.all("proposal")) == 1


@pytest.mark.thorough
def test_there_is_nothing_to_resume_after_a_search_that_ended(killed: Cli) -> None:
    path = killed.example("good_saxpy.cu")
    assert resume(killed, path).code == 2
    assert killed.run("optimize", path).code == 0
    ended = resume(killed, path)
    assert ended.code == 2
    assert "no interrupted or capped search on good_saxpy.cu" in ended.err


def test_a_search_that_still_runs_is_not_resumed(killed: Cli) -> None:
    path = killed.quick()
    process = killed.start("optimize", path, "--json")
    assert process.stdout is not None
    process.stdout.readline()
    ended = resume(killed, path)
    process.terminate()
    process.communicate()
    assert ended.code == 2
    assert "still searching transpose.cu" in ended.err


@pytest.mark.thorough
def test_candidates_for_kernels_of_a_header_are_not_tried_again(killed: Cli) -> None:
    """The file that is named holds ``main()``; what is edited is the header, so that every candidate is one of the header's."""
    text = killed.example("transpose.cu").read_text("utf-8")
    kernel, main, rest = text.partition("int main()")
    killed.write("transpose.cuh", kernel)
    path = killed.write("run.cu", f'#include "transpose.cuh"\n\n{main}{rest}')
    options = ("--allow-host-code",)
    kill_after(killed, path, "candidate", 1, options)
    ended = resume(killed, path, options)
    assert ended.code == 0, ended.said
    tried = [(item.parent_key, item.key) for item in attempts(killed)]
    assert {item.path.name for item in attempts(killed)} == {"transpose.cuh"}
    assert len(tried) == len(set(tried)), "a candidate was tried twice"


NEEDS_ARGUMENTS = """\
#include <cstdio>
#include <cstdlib>
__global__ void rows(float *out, const float *in, int n) {
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0.0f;
    if (row < n) {
        for (int k = 0; k < n; k++) sum += in[row * n + k];
        out[row] = sum;
    }
}
int main(int argc, char **argv) {
    if (argc != 3) return 7;
    const int n = atoi(argv[1]) * atoi(argv[2]);
    float *in, *out, first;
    cudaMalloc(&in, n * n * sizeof(float));
    cudaMalloc(&out, n * sizeof(float));
    cudaMemset(in, 0, n * n * sizeof(float));
    rows<<<(n + 63) / 64, 64>>>(out, in, n);
    cudaMemcpy(&first, out, sizeof(float), cudaMemcpyDeviceToHost);
    printf("%g\\n", first);
}
"""


def test_the_program_s_arguments_are_those_of_the_search_that_is_gone_on_with(killed: Cli) -> None:
    """Without any it would end with an error; with others it is another search."""
    path = killed.write("rows.cu", NEEDS_ARGUMENTS)
    kill_after(killed, path, "candidate", 1, ("--rounds", "1", "--", "32", "4"))
    ended = resume(killed, path, ("--rounds", "1"))
    assert ended.code == 0, ended.said
    said = [item["message"] for item in ended.all("message")]
    assert any(text.startswith("goes on with J") and text.endswith("with what it was given: -- 32 4") for text in said), said


@pytest.mark.thorough
def test_with_other_arguments_a_search_begins_anew_and_says_so(killed: Cli) -> None:
    path = killed.write("rows.cu", NEEDS_ARGUMENTS)
    told = kill_after(killed, path, "candidate", 1, ("--rounds", "1", "--", "32", "4"))
    ended = killed.run(*search(path, ("--rounds", "1", "--resume", "--", "16", "4")), deadline_s=LONG_S)
    assert ended.code == 0, ended.said
    said = [item["message"] for item in ended.all("message")]
    assert any("begins anew" in text and "its arguments were `32 4`, and `16 4` is given now" in text for text in said), said
    assert not {item["candidate"] for item in told if item["event"] == "candidate"} & {item["candidate"] for item in ended.all("candidate")}
