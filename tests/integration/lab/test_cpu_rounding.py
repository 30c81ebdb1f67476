"""A program that rounds otherwise: products and sums fused, as a GPU's compiler may fuse them."""

from __future__ import annotations

import platform
from pathlib import Path

from assistant.build.flags import DEFAULT_FLAGS
from assistant.lab.cpu import CpuLab
from assistant.model.source import Source
from assistant.ports.lab import Program, ProgramRun, RunLimits

_TEXT = """
#include <cstdio>
__global__ void rest(const float* x, float* y) { *y = *x * *x - 1.0f; }
int main() {
    float x = 1.0f + 1.0f / 4096, y, *d;
    cudaMalloc(&d, 8);
    cudaMemcpy(d, &x, 4, cudaMemcpyHostToDevice);
    rest<<<1, 1>>>(d, d + 1);
    cudaMemcpy(&y, d + 1, 4, cudaMemcpyDeviceToHost);
    printf("%a\\n", y);
}
"""
"""x² needs 25 bits: rounded before the subtraction, its last one is lost."""


async def test_products_and_sums_are_fused_where_the_processor_can(tmp_path: Path, own_cache: Path) -> None:
    program = Program((Source(Path("/rest.cu"), _TEXT),), DEFAULT_FLAGS)
    lab = CpuLab(tmp_path, own_cache, "h200")
    try:
        runs = [await lab.run(program, mode, RunLimits(), record=True) for mode in ("plain", "fused")]
    finally:
        await lab.close()
    told = [run.stdout.decode().strip() if isinstance(run, ProgramRun) else run for run in runs]
    assert told == ["0x1p-11", "0x1.0008p-11" if _can_fuse() else "0x1p-11"]


def _can_fuse() -> bool:
    return platform.machine() == "aarch64" or " fma " in Path("/proc/cpuinfo").read_text("utf-8")
