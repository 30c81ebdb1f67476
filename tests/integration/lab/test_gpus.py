"""Which GPUs a process may use, asked of NVML through the real ``pynvml``, on a library that stands in for the driver's."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from assistant.lab.captured import shown_alone
from assistant.lab.gpus import Gpu, meant_gpus
from assistant.model.build import Flags
from assistant.model.source import Source
from assistant.ports.lab import Program
from tests.integration.lab.nvml_library import build_nvml

UUID = "GPU-11111111-2222-3333-4444-555555555555"
_ASK = """
import dataclasses, json, sys
from assistant.lab.gpus import NoGpu, list_gpus

answers = []
for visible in json.loads(sys.argv[1]):
    found = list_gpus({} if visible is None else {"CUDA_VISIBLE_DEVICES": visible})
    answers.append(found.reason if isinstance(found, NoGpu) else [dataclasses.asdict(gpu) for gpu in found])
print(json.dumps(answers))
"""


def asked(environment: dict[str, str], *visible: str | None) -> list[Any]:
    command = (sys.executable, "-c", _ASK, json.dumps(visible))
    done = subprocess.run(command, env={**os.environ, **environment}, capture_output=True, text=True, timeout=60, check=True)
    answers: list[Any] = json.loads(done.stdout)
    return answers


@pytest.fixture(scope="module")
def nvml(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    return build_nvml(tmp_path_factory.mktemp("nvml")).environment


def test_devices_are_counted_as_cuda_counts_them(nvml: dict[str, str]) -> None:
    every, by_number, by_uuid, shortened, hidden, unknown = asked(nvml, None, "0", UUID, UUID[:12], "", "7,0")
    assert [(gpu["index"], gpu["name"], gpu["uuid"]) for gpu in every] == [(0, "NVIDIA Test", UUID)]
    assert (every[0]["memory_bytes"], every[0]["compute_capability"]) == (8 << 30, [9, 0])
    assert by_number == by_uuid == shortened == every
    assert "hides every GPU" in hidden
    assert "hides every GPU" in unknown


def test_a_gpu_in_mig_mode_is_its_slice(nvml: dict[str, str]) -> None:
    cut = {**nvml, "FAKE_NVML_SLICES": "2"}
    second = "MIG-22222222-2222-3333-4444-555555555551"
    every, by_gpu, named = asked(cut, None, UUID, second)
    assert [(gpu["index"], gpu["name"], gpu["uuid"]) for gpu in every] == [(0, "NVIDIA Test MIG 1g.1gb", f"{second[:-1]}0")]
    assert (every[0]["memory_bytes"], every[0]["compute_capability"]) == (1 << 30, [9, 0])
    assert by_gpu == every
    assert [gpu["uuid"] for gpu in named] == [second]
    (uncut,) = asked({**nvml, "FAKE_NVML_SLICES": "0"}, None)
    assert "in MIG mode and has no slice" in uncut
    (others,) = asked({**nvml, "FAKE_NVML_SLICES": "0", "FAKE_NVML_SECOND": "1"}, None)
    assert [(gpu["index"], gpu["uuid"][:12]) for gpu in others] == [(0, "GPU-33333333")]


def test_without_a_number_the_first_gpu_is_meant_and_those_like_it() -> None:
    big, small, other = (Gpu(index, name, f"GPU-{index}", 1, (9, 0), "1") for index, name in enumerate(("big", "small", "big")))
    found = (big, small, other)
    assert meant_gpus("auto", found) == meant_gpus("gpu", found) == (big, other)
    assert meant_gpus("gpu:1", found) == (small,)
    assert [meant_gpus(device, found) for device in ("cpu", "gpu:3", "gpu:x")] == [(), (), ()]
    assert meant_gpus("auto", ()) == ()


def test_a_machine_without_a_driver_has_none_and_says_so(tmp_path: Path) -> None:
    (answer,) = asked({"LD_LIBRARY_PATH": str(tmp_path)}, None)
    assert isinstance(answer, list) or "no NVIDIA driver" in answer


_REACHABLE = """
import json, os, sys
from assistant.lab.captured import reachable_gpus
from assistant.lab.gpus import Gpu

print(json.dumps(reachable_gpus(Gpu(int(sys.argv[1]), "", sys.argv[2], 0, (9, 0), ""), os.environ)))
"""
_SECOND = "GPU-33333333-2222-3333-4444-555555555555"


@pytest.mark.parametrize(
    ("own", "environment", "reachable"),
    [
        (UUID, {}, [UUID]),
        (UUID, {"FAKE_NVML_SECOND": "1"}, [UUID, _SECOND]),
        (UUID, {"FAKE_NVML_SECOND": "1", "CUDA_VISIBLE_DEVICES": "0"}, [UUID]),
        (UUID, {"FAKE_NVML_SECOND": "1", "CUDA_VISIBLE_DEVICES": "1,0"}, [UUID, _SECOND]),
        ("GPU-none", {"CUDA_VISIBLE_DEVICES": ""}, ["GPU-none"]),
    ],
)
def test_a_program_may_use_every_gpu_that_is_not_hidden(
    nvml: dict[str, str], own: str, environment: dict[str, str], reachable: list[str]
) -> None:
    command = (sys.executable, "-c", _REACHABLE, "0", own)
    clean = {name: value for name, value in os.environ.items() if name != "CUDA_VISIBLE_DEVICES"}
    done = subprocess.run(command, env={**clean, **nvml, **environment}, capture_output=True, text=True, timeout=60, check=True)
    assert json.loads(done.stdout) == reachable


STAYS, COUNTS = "int main() { cudaSetDevice(0); }", "int main() { int n; cudaGetDeviceCount(&n); }"


@pytest.mark.parametrize(
    ("index", "text", "more", "is_alone"),
    [
        (0, STAYS, {}, True),
        (0, COUNTS, {}, False),
        (1, COUNTS, {}, True),  # it would begin with another one
        (0, STAYS, {"run_command": ("./bench",)}, False),
        (0, STAYS, {"libraries": ("-lsolver",)}, False),
        (0, '#include "devices.h"\nint main() { pick(); }', {}, False),
    ],
)
def test_a_program_that_stays_on_the_first_gpu_is_shown_that_one_alone(
    tmp_path: Path, index: int, text: str, more: dict[str, Any], is_alone: bool
) -> None:
    tmp_path.joinpath("devices.h").write_text("inline void pick() { cudaSetDevice(1); }\n")
    program = Program((Source(tmp_path / "a.cu", text),), Flags(()), **more)
    assert shown_alone(Gpu(index, "none", UUID, 0, (9, 0), ""), program) == (UUID if is_alone else None)
