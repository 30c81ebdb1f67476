"""The compile worker as its clients see it: one JSON message in, one out, whatever happens."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from assistant.device.toolchain import installed_wheel_tree

Ask = Callable[[dict[str, Any]], dict[str, Any]]
KERNEL = """\
#include <cstdio>
__global__ void k(float *a, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) a[i] = a[i] * 2;
}
int main() { k<<<1, 32>>>(nullptr, 0); std::printf("done\\n"); }
"""


@pytest.fixture(scope="module")
def ask() -> Iterator[Ask]:
    with start({**os.environ}) as worker:
        yield lambda message: exchange(worker, message)
        assert worker.stdin is not None
        worker.stdin.close()
        worker.wait(10)


def start(environment: dict[str, str]) -> subprocess.Popen[str]:
    command = (sys.executable, "-m", "assistant.device")
    return subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=environment)


def exchange(worker: subprocess.Popen[str], message: dict[str, Any] | str) -> dict[str, Any]:
    assert worker.stdin is not None
    assert worker.stdout is not None
    worker.stdin.write((message if isinstance(message, str) else json.dumps(message)) + "\n")
    worker.stdin.flush()
    reply: dict[str, Any] = json.loads(worker.stdout.readline())
    return reply


def compile_message(path: str, text: str, *want: str, **more: object) -> dict[str, Any]:
    return {"op": "compile", "sources": [[path, text]], "architecture": "sm_90", "want": list(want), **more}


def test_a_reply_carries_its_requests_id(ask: Ask) -> None:
    assert ask({"op": "ping", "id": 7}) == {"id": 7, "ok": True, "result": {"version": 1}}


@pytest.mark.parametrize(
    ("message", "part"),
    [
        ({"op": "dance"}, "unknown op 'dance'"),
        ({"op": "compile", "sources": [["k.cu"]], "architecture": "sm_90"}, "sources[0]"),
        ({"op": "compile", "sources": [], "architecture": "sm_90"}, "at least one"),
        ({"op": "compile", "sources": [["k.cu", ""]], "architecture": "sm_90"}, "absolute"),
        ({"op": "compile", "sources": [["/k.cu", ""]], "architecture": "sm_90", "colour": 1}, "unknown field 'colour'"),
    ],
)
def test_a_request_that_makes_no_sense_is_answered_with_the_reason(ask: Ask, message: dict[str, Any], part: str) -> None:
    reply = ask(message)
    assert not reply["ok"]
    assert part in reply["error"]["message"]


def test_the_toolchain_names_every_tool_with_its_origin(ask: Ask) -> None:
    tools = {tool["name"]: tool for tool in ask({"op": "toolchain"})["result"]["tools"]}
    assert set(tools) == {"nvrtc", "nvcc", "nvdisasm", "cuobjdump", "g++"}
    assert all(tool["remedy"] == "" or tool["origin"] == "missing" for tool in tools.values())


def test_a_program_compiles_to_resources_and_code_on_its_lines(ask: Ask) -> None:
    result = ask(compile_message("/p/k.cu", KERNEL, "resources", "sass", "ptx"))["result"]
    build = result["result"]
    (resources,) = build["resources"]
    assert resources["kernel"] == "k(float*, int)"
    assert resources["registers_per_thread"] > 0
    (code,) = build["code"]
    assert {i["line"] for i in code["instructions"] if i["opcode"].startswith(("LDG", "STG"))} == {4}
    assert {i["file"] for i in code["instructions"] if i["line"]} == {"/p/k.cu"}
    assert ".entry" in result["ptx"]


def test_code_of_a_toolkits_header_stands_on_the_users_line_also_where_the_toolkit_is_called_through_a_link(tmp_path: Path) -> None:
    tree = installed_wheel_tree()
    assert tree is not None
    linked = tmp_path / "cuda"
    linked.symlink_to(tree)
    text = "__global__ void k(unsigned *bins, const int *at)\n{\n    atomicAdd(&bins[at[threadIdx.x]], 1u);\n}\n"
    with start({**os.environ, "CUDA_HOME": str(linked), "XDG_CACHE_HOME": str(tmp_path)}) as worker:
        (code,) = exchange(worker, compile_message("/p/k.cu", text, "sass"))["result"]["result"]["code"]
        worker.terminate()
    assert {(i["file"], i["line"]) for i in code["instructions"] if i["opcode"].startswith("RED")} == {("/p/k.cu", 3)}


def test_diagnostics_alone_come_without_code(ask: Ask) -> None:
    build = ask(compile_message("/p/k.cu", KERNEL))["result"]["result"]
    assert (build["resources"], build["code"], build["diagnostics"]) == ([], [], [])


def test_an_error_stands_at_the_users_line_and_column(ask: Ask) -> None:
    result = ask(compile_message("/p/k.cu", KERNEL.replace("a[i] * 2", "b[i] * 2")))["result"]["result"]
    (error,) = [d for d in result["diagnostics"] if d["severity"] == "error"]
    assert (error["file"], error["line"], error["column"]) == ("/p/k.cu", 4, 23)
    assert error["compiler"] == "nvcc"


def test_a_host_error_is_found_when_code_is_wanted(ask: Ask) -> None:
    result = ask(compile_message("/p/k.cu", KERNEL.replace("nullptr", "nothing"), "resources", "sass"))["result"]["result"]
    assert [d["line"] for d in result["diagnostics"]] == [6]


def test_named_instances_are_compiled_without_a_launch(ask: Ask) -> None:
    text = "template <class T> __global__ void t(T *p) { *p = 1; }\n__global__ void f(int *) {}\n__global__ void f(float *) {}\n"
    message = compile_message("/p/t.cu", text, "resources", kernels=["t<float>", "t<int>(int*)", "f(float*)"])
    names = {r["kernel"] for r in ask(message)["result"]["result"]["resources"]}
    assert names == {"void t<float>(float*)", "void t<int>(int*)", "f(int*)", "f(float*)"}


def test_an_edited_header_counts_instead_of_the_file_on_disk(ask: Ask, tmp_path: Path) -> None:
    header, source = tmp_path / "size.h", tmp_path / "k.cu"
    header.write_text("#error on disk\n")
    text = '#include "size.h"\n__global__ void k(float *a) { __shared__ float s[SIZE]; s[0] = *a; __syncthreads(); *a = s[*(int*)a]; }\n'
    source.write_text(text)
    message = compile_message(str(source), text, "resources")
    message["sources"].append([str(header), "#define SIZE 512\n"])
    (resources,) = ask(message)["result"]["result"]["resources"]
    assert resources["static_shared_bytes"] == 2048


def test_the_same_content_is_compiled_once(ask: Ask, tmp_path: Path) -> None:
    header = tmp_path / "h.h"
    header.write_text("#define N 1\n")
    text = '#include "h.h"\n__global__ void k(int *a) { *a = N; }\n'
    message = compile_message(str(tmp_path / "k.cu"), text, "resources", cache_directory=str(tmp_path / "cache"))
    assert [ask(message)["result"]["cached"] for _ in range(2)] == [False, True]
    header.write_text("#define N 2\n")
    assert ask(message)["result"]["cached"] is False


def test_an_unwritable_cache_only_costs_time(ask: Ask, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    message = compile_message("/p/k.cu", KERNEL, cache_directory=str(tmp_path / "file"))
    assert "diagnostics" in ask(message)["result"]["result"]


def test_a_compile_that_takes_too_long_is_ended(ask: Ask) -> None:
    result = ask(compile_message("/p/k.cu", KERNEL, "resources", "sass", timeout_s=0.01))["result"]["result"]
    assert "did not end within 0.01 s" in result["diagnostics"][0]["message"]


def fake_toolkit(folder: Path, compile_script: str) -> dict[str, str]:
    """An environment whose nvcc answers what the worker asks of a toolkit and compiles by ``compile_script``."""
    nvcc = folder / "bin" / "nvcc"
    nvcc.parent.mkdir(parents=True)
    nvcc.write_text(
        '#!/bin/sh\ncase "$1" in\n'
        '--version) echo "Cuda compilation tools, release 12.1, V12.1.99";;\n'
        f'--dryrun) echo "#$ TOP={folder}" >&2;;\n'
        f"*) {compile_script};;\nesac\n"
    )
    nvcc.chmod(0o755)
    return {**os.environ, "CUDA_HOME": str(folder)}


def test_the_users_own_toolkit_goes_first(tmp_path: Path) -> None:
    with start(fake_toolkit(tmp_path, "exit 3")) as worker:
        tools = exchange(worker, {"op": "toolchain"})["result"]["tools"]
        nvcc = next(tool for tool in tools if tool["name"] == "nvcc")
        worker.terminate()
    assert (nvcc["version"], nvcc["origin"]) == ("12.1.99", "CUDA_HOME")


def test_a_compiler_that_fails_silently_is_named(tmp_path: Path) -> None:
    with start(fake_toolkit(tmp_path, "exit 3")) as worker:
        reply = exchange(worker, compile_message("/p/k.cu", KERNEL, "sass"))
        worker.terminate()
    assert reply["result"]["result"]["diagnostics"][0]["message"] == "nvcc failed with status 3"


def test_a_full_disk_is_not_laid_to_the_source_and_not_kept(tmp_path: Path) -> None:
    script = 'echo "gcc: internal compiler error: File size limit exceeded signal terminated program cc1plus"; exit 4'
    message = compile_message("/p/k.cu", KERNEL, "sass", cache_directory=str(tmp_path / "cache"))
    with start(fake_toolkit(tmp_path, script)) as worker:
        replies = [exchange(worker, message) for _ in range(2)]
        worker.terminate()
    assert [reply["result"]["cached"] for reply in replies] == [False, False]
    assert "no space left" in replies[0]["result"]["result"]["reason"]


def test_a_compiler_that_prints_noise_does_not_disturb_the_answers(tmp_path: Path) -> None:
    with start(fake_toolkit(tmp_path, "echo '{\"ok\":false}'; exit 1")) as worker:
        first = exchange(worker, compile_message("/p/k.cu", KERNEL, "sass"))
        second = exchange(worker, {"op": "ping", "id": 2})
        worker.terminate()
    assert (first["ok"], second["id"]) == (True, 2)


def test_bad_json_is_answered() -> None:
    with start({**os.environ}) as worker:
        reply = exchange(worker, "{nonsense")
        worker.terminate()
    assert reply["error"]["kind"] == "bad_request"


@pytest.mark.parametrize("ending", [signal.SIGTERM, signal.SIGKILL])
def test_no_compiler_outlives_its_worker(tmp_path: Path, ending: signal.Signals) -> None:
    environment = fake_toolkit(tmp_path / "toolkit", "sleep 60 & echo $$ $! > $TMPDIR/pids; wait") | {"TMPDIR": str(tmp_path)}
    with start(environment) as worker:
        assert worker.stdin is not None
        worker.stdin.write(json.dumps(compile_message("/p/k.cu", KERNEL, "sass")) + "\n")
        worker.stdin.flush()
        wait_until(lambda: len(_written(tmp_path)) == 2)
        compilers = _written(tmp_path)
        worker.send_signal(ending)
        worker.wait(10)
    wait_until(lambda: not any(map(is_running, compilers)))


def _written(folder: Path) -> list[int]:
    """Process ids that a compiler left in its own temporary folder: its own, and its child's."""
    return [int(word) for file in folder.glob("kernelopt-build-*/pids") for word in file.read_text().split()]


def wait_until(condition: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 10
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.02)


def is_running(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] != "Z"
    except (FileNotFoundError, ProcessLookupError):  # gone before it was opened, or before it was read
        return False


def test_a_quick_answer_is_an_acceptance_or_none(ask: Ask, tmp_path: Path) -> None:
    accepted = ask(compile_message(str(tmp_path / "k.cu"), KERNEL, is_quick=True, cache_directory=str(tmp_path / "kept")))
    assert accepted["result"]["result"]["compiler"].startswith("nvrtc")
    refused = ask(compile_message(str(tmp_path / "k.cu"), KERNEL.replace("a[i] * 2", "nothing"), is_quick=True))
    assert "does not accept" in refused["result"]["result"]["reason"]
    assert not (tmp_path / "kept").exists()


INTERRUPTED_WHILE_STARTING = """
import os, signal
from pathlib import Path
from assistant.device.__main__ import _leave_on_terminate
from assistant.device.process import ToolRunner

runner = ToolRunner({})
start = runner.launcher.start

def interrupted(*arguments, **more):
    os.kill(os.getpid(), signal.SIGTERM)
    return start(*arguments, **more)

runner.launcher.start = interrupted
_leave_on_terminate(runner)
runner.run(("/bin/sleep", "60"), cwd=None, timeout_s=60)
"""


def test_a_worker_that_is_ended_while_it_starts_a_compiler_ends() -> None:
    ended = subprocess.run((sys.executable, "-c", INTERRUPTED_WHILE_STARTING), timeout=30, check=False)
    assert ended.returncode == 128 + signal.SIGTERM
