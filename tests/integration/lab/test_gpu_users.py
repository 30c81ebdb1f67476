"""Who uses a GPU, asked of NVML through the real ``pynvml``, on a library that stands in for the driver's."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Generator
from pathlib import Path

import pytest

from tests.integration.lab.nvml_library import build_nvml

_ASK = """
import asyncio, dataclasses, json, subprocess, sys
from pathlib import Path
from assistant.lab.gpu_users import NvmlGpuUsers
from assistant.lab.gpus import list_gpus

rows = json.loads(sys.argv[1])
child = subprocess.Popen(("sleep", "100"))
try:
    named = {"child": child.pid}
    Path(sys.argv[2]).write_text("".join(f"{named.get(pid, pid)} {busy}\\n" for pid, busy in rows))
    found = asyncio.run(NvmlGpuUsers(lambda: list_gpus(json.loads(sys.argv[4]))).of(sys.argv[3]))
finally:
    child.kill()
print(json.dumps([dataclasses.asdict(process) for process in found]))
"""


@pytest.fixture(scope="module")
def nvml(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    return build_nvml(tmp_path_factory.mktemp("nvml")).environment


@pytest.fixture(scope="module")
def foreign() -> Generator[int]:
    """A program of this user that the asking process did not start."""
    process = subprocess.Popen(("sleep", "101"), start_new_session=True)
    yield process.pid
    process.kill()
    process.wait()


def ask(
    environment: dict[str, str], *rows: tuple[int | str, str], device: str = "gpu:0", visible: str | None = None
) -> list[dict[str, object]]:
    seen = {} if visible is None else {"CUDA_VISIBLE_DEVICES": visible}
    arguments = (json.dumps(rows), environment.get("FAKE_NVML", os.devnull), device, json.dumps(seen))
    ended = subprocess.run(
        (sys.executable, "-c", _ASK, *arguments), env={**os.environ, **environment}, capture_output=True, text=True, timeout=60, check=True
    )
    return json.loads(ended.stdout)


def test_a_program_of_this_user_that_computes_is_reported(nvml: dict[str, str], foreign: int) -> None:
    assert ask(nvml, (foreign, "97")) == [{"gpu_index": 0, "process_id": foreign, "command": "sleep 101", "busy_ratio": 0.97}]


@pytest.mark.parametrize("device", ["auto", "gpu"])
def test_a_gpu_that_no_number_names_is_looked_at_too(device: str, nvml: dict[str, str], foreign: int) -> None:
    assert [process["gpu_index"] for process in ask(nvml, (foreign, "97"), device=device)] == [0]


def test_a_gpu_that_is_hidden_from_jobs_has_no_user(nvml: dict[str, str], foreign: int) -> None:
    assert ask(nvml, (foreign, "97"), device="auto", visible="") == []


def test_a_program_that_only_keeps_its_context_uses_nothing(nvml: dict[str, str], foreign: int) -> None:
    assert ask(nvml, (foreign, "0")) == []


def test_where_the_gpu_does_not_say_who_is_busy_being_there_is_enough(nvml: dict[str, str], foreign: int) -> None:
    assert ask(nvml, (foreign, "-")) == [{"gpu_index": 0, "process_id": foreign, "command": "sleep 101", "busy_ratio": None}]


def test_what_this_process_started_is_not_foreign(nvml: dict[str, str]) -> None:
    assert ask(nvml, ("child", "90")) == []


def test_workers_of_another_kernelopt_are_not_waited_for(nvml: dict[str, str]) -> None:
    worker = subprocess.Popen(("sh", "-c", "sleep 100; :", "assistant.device"), start_new_session=True)
    try:
        assert ask(nvml, (worker.pid, "90")) == []
    finally:
        os.killpg(worker.pid, 9)
        worker.wait()


def test_programs_of_other_users_are_not_this_users(nvml: dict[str, str]) -> None:
    if os.getuid() != 0:
        assert ask(nvml, (1, "90")) == [], "process 1 is root's"
        return
    other = subprocess.Popen(("sleep", "100"), user=65534, start_new_session=True)
    try:
        assert ask(nvml, (other.pid, "90")) == []
    finally:
        other.kill()
        other.wait()


def test_a_process_that_is_not_seen_here_and_a_gpu_that_is_not_there_have_no_user(nvml: dict[str, str], foreign: int) -> None:
    assert ask(nvml, (2**22 + 1, "90")) == []
    assert ask(nvml, (foreign, "90"), device="gpu:1") == []


def test_without_a_driver_no_user_uses_anything(tmp_path: Path) -> None:
    assert ask({"LD_LIBRARY_PATH": str(tmp_path)}, (1, "90")) == []
