"""The environment as its users run it: ``vf-eval`` with a scripted model, and kernelopt's judge as a process."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from endpoint import Endpoint, Reply

KERNELOPT = os.environ.get("KERNELOPT", "kernelopt")
SOURCE = """\
#include <cstdio>
__global__ void twice(const float *in, float *out, int n) {
  int i = threadIdx.x * gridDim.x + blockIdx.x;
  if (i < n) out[i] = 2.0f * in[i];
}
int main() {
  const int n = 4096;
  static float host[n];
  for (int i = 0; i < n; ++i) host[i] = i % 37;
  float *in, *out;
  cudaMalloc(&in, sizeof host);
  cudaMalloc(&out, sizeof host);
  cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice);
  twice<<<n / 128, 128>>>(in, out, n);
  cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost);
  printf("%g\\n", host[100]);
}
"""
RIGHT = SOURCE.replace("threadIdx.x * gridDim.x + blockIdx.x", "blockIdx.x * blockDim.x + threadIdx.x")
WRONG = SOURCE.replace("2.0f * in[i]", "3.0f * in[i]")


@pytest.fixture(scope="session")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """kernelopt's own, in which its emulator is built once."""
    return tmp_path_factory.mktemp("home")


def evaluated(folder: Path, home: Path, source: str, replies: list[Reply]) -> tuple[dict[str, Any], Endpoint]:
    """(what the only rollout's agent did, what the model was asked)."""
    (folder / "twice.cu").write_text(source)
    with Endpoint(replies) as endpoint:
        options = {
            "--env.taskset.sources": '["*.cu"]',
            "--env.taskset.task.command": json.dumps([KERNELOPT]),
            "--env.taskset.task.options": '["--device", "cpu"]',
            "--env.agent.harness.id": "null",
            "--env.agent.runtime.type": "subprocess",
            "--model": "scripted",
            "--client.base-url": endpoint.base_url,
            "--client.api-key-var": "SCRIPTED_KEY",
        }
        command = [str(Path(sys.executable).with_name("vf-eval")), "kernelopt-verifiers", "--no-push"]
        path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
        variables = os.environ | {"PATH": path, "SCRIPTED_KEY": "none", "KERNELOPT_HOME": str(home), "TMPDIR": str(folder)}
        words = [*command, *(word for option in options.items() for word in option)]
        ended = subprocess.run(words, cwd=folder, env=variables, capture_output=True, text=True, timeout=600, check=False)
    lines = [line for path in folder.glob("outputs/**/traces.jsonl") for line in path.read_text().splitlines()]
    assert len(lines) == 1, ended.stdout + ended.stderr
    assert not list(folder.glob("kernelopt-*")), "folders of the rollout and of the task are gone"
    (trace,) = json.loads(lines[0])["traces"]
    return trace, endpoint


def test_a_right_edit_has_its_reward_and_its_trajectory(tmp_path: Path, home: Path) -> None:
    replies: list[Reply] = [[("kernelopt_write_file", {"text": RIGHT})], [("kernelopt_judge", {})], "done"]
    trace, endpoint = evaluated(tmp_path, home, SOURCE, replies)
    assert trace["rewards"]["milestone"]["score"] == 1 and not trace["errors"]
    assert trace["metrics"]["predicted_ratio"] > 1 and trace["metrics"]["measured_ratio"] == trace["metrics"]["is_cheat"] == 0
    task, *calls = trace["info"]["trajectory"]
    assert task["event"] == "task" and [call["tool"] for call in calls] == ["judge"], "what was judged is not judged again"
    offered = {tool["function"]["name"] for tool in endpoint.asked[0]["tools"]}
    assert offered == {f"kernelopt_{name}" for name in ("read_file", "write_file", "judge", "profile", "ask_memory")}
    answer = json.loads(endpoint.asked[2]["messages"][-1]["content"])
    assert (answer["reward"], answer["left"]["judge_calls"]) == (1, 8)


def test_what_is_left_without_being_judged_is_judged(tmp_path: Path, home: Path) -> None:
    trace, _ = evaluated(tmp_path, home, SOURCE, [[("kernelopt_write_file", {"text": WRONG})], "done"])
    assert trace["rewards"]["milestone"]["score"] == -1
    assert [call["tool"] for call in trace["info"]["trajectory"][1:]] == ["judge"]


def test_a_file_that_makes_no_task_is_no_sample(tmp_path: Path, home: Path) -> None:
    trace, endpoint = evaluated(tmp_path, home, SOURCE.replace("out[i] = 2", "out[i + n] = 2"), ["done"])
    assert trace["errors"] and "makes no task" in json.dumps(trace["errors"]) and not endpoint.asked
    assert all(reward is None for reward in trace["rewards"].values())
