"""The server as its clients reach it, with kernelopt's judge as a process."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest
from kernelopt_openenv import KernelAction, KernelEnv
from openenv import GenericEnvClient

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
_STARTED_WITHIN_S = 120.0
_ANSWERED_WITHIN_S = 600.0


@pytest.fixture(scope="module")
def url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Of a server with one source, and one that makes no task."""
    folder = tmp_path_factory.mktemp("server")
    (folder / "twice.cu").write_text(SOURCE)
    (folder / "broken.cu").write_text(SOURCE.replace("out[i] = 2", "out[i + n] = 2"))
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = str(free.getsockname()[1])
    command = [str(Path(sys.executable).with_name("kernelopt-openenv")), "twice.cu", "broken.cu", "--port", port]
    variables = os.environ | {"KERNELOPT_HOME": str(folder / "home"), "TMPDIR": str(folder)}
    server = subprocess.Popen([*command, "--command", KERNELOPT, "--options", "--device cpu"], cwd=folder, env=variables)
    try:
        _wait_for(f"http://127.0.0.1:{port}/health", server)
        yield f"http://127.0.0.1:{port}"
    finally:
        server.terminate()
        server.wait()
    assert list(folder.glob("kernelopt-*")) == [], "folders of tasks and episodes are gone"


def _wait_for(url: str, server: subprocess.Popen[bytes]) -> None:
    deadline_s = time.monotonic() + _STARTED_WITHIN_S
    while True:
        assert server.poll() is None and time.monotonic() < deadline_s, "the server does not answer"
        try:
            if httpx.get(url).status_code == 200:
                return
        except httpx.TransportError:
            time.sleep(0.2)


def test_an_episode_ends_with_the_reward_of_what_is_submitted(url: str) -> None:
    with KernelEnv(base_url=url, message_timeout_s=_ANSWERED_WITHIN_S).sync() as env:
        task = env.reset(index=0).observation
        assert (task.source, task.text) == ("twice.cu", SOURCE) and "Make twice.cu faster" in task.instructions
        judged = env.step(KernelAction(tool="judge", text=RIGHT))
        assert judged.observation.answer["reward"] == 1 and judged.reward is None and not judged.done
        ended = env.step(KernelAction(tool="submit"))
        assert (ended.reward, ended.done) == (1, True)
        first, *calls = ended.observation.metadata["trajectory"]
        assert first["event"] == "task" and [call["tool"] for call in calls] == ["judge"], "what was judged is not judged again"


def test_a_client_without_our_types_can_ask_too(url: str) -> None:
    with GenericEnvClient(base_url=url, message_timeout_s=_ANSWERED_WITHIN_S).sync() as env:
        env.reset(seed=0)
        assert env.step({"tool": "ask_memory", "argument": "register-tile"}).observation["answer"]["page"]
        ended = env.step({"tool": "submit", "text": WRONG})
        assert ended.reward == -1 and ended.done


def test_a_source_that_makes_no_task_says_why(url: str) -> None:
    with (
        GenericEnvClient(base_url=url, message_timeout_s=_ANSWERED_WITHIN_S).sync() as env,
        pytest.raises(RuntimeError, match="makes no task"),
    ):
        env.reset(index=1)


def test_tasks_are_listed(url: str) -> None:
    assert httpx.get(f"{url}/schema").json()["action"]["title"] == "KernelAction"
