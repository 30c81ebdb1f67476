"""Launches that reach too much memory to be kept: judged by what reaches the host, and timed in the programs themselves."""

from __future__ import annotations

import json
import os
import re
import statistics
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]
PROGRAM = """\
#include <cstdio>
#include <vector>
#include <cmath>
__global__ void fill(float *t, size_t n) {
    size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x;
    if (i < n) t[i] = (float)((i * 2654435761u) % 1000003u) / 1000003.0f - 0.25f;
}
__global__ void rowNorm(const float *table, float *norm, int rows, int cols) {
    BODY
}
int main() {
    int rows = 200000, cols = 4096;
    size_t n = (size_t)rows * cols;  // 3.3 GB
    float *table, *norm;
    cudaMalloc(&table, n * sizeof(float));
    cudaMalloc(&norm, rows * sizeof(float));
    fill<<<(unsigned)((n + 255) / 256), 256>>>(table, n);
    EVENTS
    rowNorm<<<LAUNCH>>>(table, norm, rows, cols);
    REPORT
    std::vector<float> host(rows);
    cudaMemcpy(host.data(), norm, rows * sizeof(float), cudaMemcpyDeviceToHost);
    double sum = 0;
    for (float v : host) sum += v;
    printf("%.6e\\n", sum);
}
"""
LAUNCH, LAUNCH_OF_WARPS = "(rows + 127) / 128, 128", "(rows + 3) / 4, 128"
ROW = """int r = blockIdx.x * blockDim.x + threadIdx.x;
    if (r >= rows) return;
    float s = 0;
    for (int c = 0; c < cols; c++) s += table[(size_t)r * cols + c] * table[(size_t)r * cols + c];
    norm[r] = sqrtf(s);"""
WARP = """int r = blockIdx.x * 4 + threadIdx.x / 32;
    if (r >= rows) return;
    float s = 0;
    for (int c = threadIdx.x % 32; c < cols; c += 32) s += table[(size_t)r * cols + c] * table[(size_t)r * cols + c];
    for (int d = 16; d > 0; d /= 2) s += __shfl_xor_sync(~0u, s, d);
    if (threadIdx.x % 32 == 0) norm[r] = sqrtf(s);"""
TWICE = ROW.replace("float s = 0;", "float s = 0;\n    for (int k = 0; k < 2; k++)").replace("sqrtf(s)", "sqrtf(0.5f * s)")
SHORT = WARP.replace("c < cols", "c < cols - 1 - (r == 150000)")
EVENTS = "cudaEvent_t a, b; cudaEventCreate(&a); cudaEventCreate(&b); cudaEventRecord(a);"
REPORT = 'cudaEventRecord(b); cudaEventSynchronize(b); float ms; cudaEventElapsedTime(&ms, a, b); printf("took %f ms\\n", ms);'


STAYING = """\
#include <cstdio>
#include <vector>
__global__ void fill(float *t, size_t n) {
    size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x;
    if (i < n) t[i] = (float)((i * 2654435761u) % 1000003u) / 1000003.0f;
}
__global__ void soften(float *t, const float *shift, size_t n) {
    size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x;
    if (i < n) t[i] = BODY;
}
int main() {
    size_t n = 800000000;  // 3.2 GB, of which the host asks for 4 kB
    float *t, *shift, one = 1.0f;
    cudaMalloc(&t, n * sizeof(float));
    cudaMalloc(&shift, sizeof(float));
    cudaMemcpy(shift, &one, sizeof(float), cudaMemcpyHostToDevice);
    fill<<<(unsigned)((n + 255) / 256), 256>>>(t, n);
    soften<<<(unsigned)((n + 255) / 256), 256>>>(t, shift, n);
    std::vector<float> host(1000);
    cudaMemcpy(host.data(), t, host.size() * sizeof(float), cudaMemcpyDeviceToHost);
    double sum = 0;
    for (float v : host) sum += v;
    printf("%.4e\\n", sum);
}
"""
SOFT = "sqrtf(t[i] * t[i] + shift[0])"
SAME = "sqrtf(fmaf(t[i], t[i], shift[0]))"
OTHER_ROUNDING = "1.0f / rsqrtf(t[i] * t[i] + shift[0])"
ONE_WRONG = f"i == 700000001 ? 0.5f : {SOFT}"


def program(body: str, launch: str = LAUNCH, events: str = "", report: str = "") -> str:
    return PROGRAM.replace("BODY", body).replace("LAUNCH", launch).replace("EVENTS", events).replace("REPORT", report)


def told(folder: Path, home: Path, *words: str) -> list[dict[str, Any]]:
    environment = {**os.environ, "KERNELOPT_HOME": str(home), "PYTHONPATH": os.pathsep.join((str(ROOT), os.environ.get("PYTHONPATH", "")))}
    command = (sys.executable, "-m", "assistant", *words, "--device", "gpu:0", "--json")
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, timeout=240, check=False)
    assert done.stdout, done.stderr
    return [json.loads(line) for line in done.stdout.splitlines()]


def measured_s(folder: Path, body: str, launch: str) -> float:
    """The kernel's own time by CUDA events, of runs that nothing records."""
    (folder / "timed.cu").write_text(program(body, launch, EVENTS, REPORT))
    subprocess.run(("nvcc", "-O3", "-arch=native", "timed.cu", "-o", "timed"), cwd=folder, check=True)
    runs = [subprocess.run(("./timed",), cwd=folder, check=True, capture_output=True, text=True).stdout for _ in range(5)]
    return statistics.median(float(found[1]) * 1e-3 for text in runs if (found := re.search(r"took (\S+) ms", text)))


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("home")


def test_every_kernel_is_known_and_counted(tmp_path: Path, home: Path) -> None:
    (tmp_path / "a.cu").write_text(program(ROW))
    events = told(tmp_path, home, "profile", "a.cu")
    assert {event["kernel"].partition("(")[0] for event in events if event["event"] == "profile"} == {"fill", "rowNorm"}
    assert not [event for event in events if "never launched" in event.get("message", "")]


@pytest.mark.parametrize(
    ("body", "launch", "outcome", "speed"),
    [(WARP, LAUNCH_OF_WARPS, "PASS", "FASTER"), (TWICE, LAUNCH, "PASS", "SLOWER"), (SHORT, LAUNCH_OF_WARPS, "FAIL", None)],
    ids=["faster", "slower", "wrong"],
)
def test_an_edit_gets_its_verdict_and_its_time(tmp_path: Path, home: Path, body: str, launch: str, outcome: str, speed: str | None) -> None:
    (tmp_path / "a.cu").write_text(program(ROW))
    (tmp_path / "b.cu").write_text(program(body, launch))
    (found,) = [event for event in told(tmp_path, home, "compare", "a.cu", "b.cu") if event["event"] == "comparison"]
    assert found["verification"]["outcome"] == outcome, found["verification"]
    if speed is not None:
        assert found["speed"]["outcome"] == speed and "programs run in turn" in found["speed"]["method"], found["speed"]
        a_s, b_s = measured_s(tmp_path, ROW, LAUNCH), measured_s(tmp_path, body, launch)
        (case,) = found["speed"]["cases"]
        ours = f"{case['before_s']:.6f} → {case['after_s']:.6f} s, {found['speed']['ratio']:.3f}x"
        print(f"{speed}: {ours}; by events {a_s:.6f} → {b_s:.6f} s, {a_s / b_s:.3f}x")
        assert found["speed"]["ratio"] == pytest.approx(a_s / b_s, rel=0.05)
        assert (case["before_s"], case["after_s"]) == (pytest.approx(a_s, rel=0.05), pytest.approx(b_s, rel=0.05))


@pytest.mark.parametrize(
    ("body", "outcome"), [(SAME, "PASS"), (OTHER_ROUNDING, "PASS"), (ONE_WRONG, "FAIL")], ids=["same", "rounding", "wrong"]
)
def test_what_stays_on_the_gpu_is_compared_there(tmp_path: Path, home: Path, body: str, outcome: str) -> None:
    (tmp_path / "a.cu").write_text(STAYING.replace("BODY", SOFT))
    (tmp_path / "b.cu").write_text(STAYING.replace("BODY", body))
    (found,) = [event for event in told(tmp_path, home, "compare", "a.cu", "b.cu") if event["event"] == "comparison"]
    verification = found["verification"]
    print(outcome, verification["caveats"], verification["missing_checks"], [one["message"] for one in verification["findings"]])
    assert verification["outcome"] == outcome, verification
    if outcome == "PASS":
        assert any("t behind soften" in text for text in verification["caveats"]), verification
    else:
        assert any("t behind soften[700000001]" in one["message"] for one in verification["findings"]), verification
