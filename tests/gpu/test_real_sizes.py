"""Programs of real size on a GPU: recorded and judged there, seen by the emulator on some of their blocks."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from assistant.build.flags import DEFAULT_FLAGS
from assistant.cuda.parse import parse
from assistant.lab.cpu import CpuLab
from assistant.lab.gpu import GpuLab
from assistant.lab.gpu_client import GpuClient
from assistant.lab.gpus import Gpu, usable_gpus
from assistant.model.source import Source
from assistant.model.workload import Case, CaseOrigin
from assistant.ports.lab import Program, ProgramRun, ReplayOptions, ReplayRun, RunLimits
from assistant.workload.derive import extract
from assistant.workload.recordings import NewCase, RecordingReader, write_case
from assistant.workload.widen import widened

ROOT = Path(__file__).parents[2]
BODY = "y[i] = a * x[i] + y[i];"
PROGRAM = """\
#include <cstdio>
#include <vector>
__global__ void saxpy(float *y, const float *x, float a, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) BODY
}
int main() {
    const int n = (1 << 22) + 5;
    std::vector<float> h(n);
    float *x, *y;
    cudaMalloc(&x, n * 4);
    cudaMalloc(&y, n * 4);
    for (int i = 0; i < n; i++) h[i] = 0.001f * (i % 1000) + 0.5f;
    cudaMemcpy(x, h.data(), n * 4, cudaMemcpyHostToDevice);
    cudaMemcpy(y, h.data(), n * 4, cudaMemcpyHostToDevice);
    saxpy<<<(n + 255) / 256, 256>>>(y, x, 1.7f, n);
    cudaMemcpy(h.data(), y, n * 4, cudaMemcpyDeviceToHost);
    printf("%f\\n", h[n - 1]);
}
"""
FAR_BLOCK = "y[i] = a * x[i] + y[i] + (blockIdx.x == 9001 ? 0.01f : 0.0f);"
"""Block 9001 is none of those that the emulator runs."""


@pytest.fixture(scope="module")
def gpu() -> Gpu:
    found = usable_gpus(os.environ)
    assert isinstance(found, tuple), found
    return found[0]


@pytest.fixture
async def lab(gpu: Gpu, tmp_path: Path, home: Path) -> AsyncIterator[GpuLab]:
    lab = GpuLab(CpuLab(tmp_path, home / "cache", "h200"), GpuClient(gpu, tmp_path), tmp_path, "h200")
    yield lab
    await lab.close()


def program(folder: Path) -> Program:
    return Program((Source(folder / "a.cu", PROGRAM.replace("BODY", BODY)),), DEFAULT_FLAGS, working_directory=folder)


async def test_a_run_has_the_gpu_s_contents_and_the_emulator_s_counters(lab: GpuLab, tmp_path: Path) -> None:
    run = await lab.run(program(tmp_path), "count", RunLimits(), record=True, sample_blocks=4096)
    assert isinstance(run, ProgramRun) and run.recording is not None, run
    assert run.is_of_gpu and run.emulated is not None and run.exit_status == 0
    (launch,) = run.recording.launches
    assert launch.line > 0 and all(state.after is not None for state in launch.buffers)
    (profile,) = run.profiles
    assert 64 <= profile.blocks_counted <= launch.config.grid.count and profile.accesses


async def test_the_float64_values_of_a_large_launch_are_the_gpu_s(lab: GpuLab, tmp_path: Path) -> None:
    run = await lab.run(program(tmp_path), "plain", RunLimits(), record=True)
    assert isinstance(run, ProgramRun) and run.recording is not None and run.recording_path is not None
    reader = RecordingReader(run.recording_path)
    source = program(tmp_path).sources[0]
    parameters = parse(source).kernels[0].parameters
    wide = widened(extract(reader.recording, reader.blob, 0, parameters, CaseOrigin("recorded", "", 0, 1.0, 1.0)), (parameters,))
    assert isinstance(wide, NewCase), wide
    name = "saxpy(double*, double const*, double, int)"
    wide = replace(wide, recording=replace(wide.recording, launches=(replace(wide.recording.launches[0], kernel=name),)))
    case: Case = write_case(tmp_path / "wide", wide)
    given = replace(program(tmp_path), kernels=(name,))
    found = await lab.replay_promoted(given, [case], ReplayOptions(), RunLimits())
    assert isinstance(found, ReplayRun) and found.cases[0].error is None, found
    contents = {buffer: np.frombuffer((found.blobs / blob).read_bytes(), np.float64) for buffer, blob in found.cases[0].after}
    x = 0.001 * (np.arange((1 << 22) + 5) % 1000) + 0.5
    best = min(np.abs(values - 2.7 * x).max() for values in contents.values())
    assert best < 1e-6, "within the rounding of the single inputs and of 1.7f"


def compared(folder: Path, home: Path, body: str) -> dict[str, Any]:
    (folder / "a.cu").write_text(PROGRAM.replace("BODY", BODY))
    (folder / "b.cu").write_text(PROGRAM.replace("BODY", body))
    environment = {**os.environ, "KERNELOPT_HOME": str(home), "PYTHONPATH": os.pathsep.join((str(ROOT), os.environ.get("PYTHONPATH", "")))}
    command = (sys.executable, "-m", "assistant", "compare", "a.cu", "b.cu", "--device", "gpu:0", "--json")
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, timeout=180, check=False)
    told = [json.loads(line) for line in done.stdout.splitlines()]
    found = [event for event in told if event["event"] == "comparison"]
    assert found, done.stdout[-3000:] + done.stderr[-3000:]
    return found[0]


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("home")


def test_an_honest_edit_passes_and_says_what_was_checked_on_what(tmp_path: Path, home: Path) -> None:
    made = compared(tmp_path, home, "y[i] = y[i] + x[i] * a;")
    assert made["verification"]["outcome"] == "PASS", made["verification"]
    said = " ".join(made["verification"]["missing_checks"])
    assert "the emulator checked 64 of 16,385 blocks" in said, said


@pytest.mark.parametrize("body", [FAR_BLOCK, "y[i] = a * x[i] + y[i]; if (i == n - 1) y[n] = 0;"])
def test_what_goes_wrong_in_one_block_alone_fails(tmp_path: Path, home: Path, body: str) -> None:
    made = compared(tmp_path, home, body)
    assert made["verification"]["outcome"] == "FAIL", made["verification"]
