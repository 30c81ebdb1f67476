"""A program with its floats as doubles, for a GPU's compiler."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from assistant.build.flags import DEFAULT_FLAGS
from assistant.lab.cpu import CpuLab
from assistant.model.build import Build
from assistant.model.source import Source
from assistant.ports.lab import LabFailure, Program
from tests.caches import link_kept_emulator

KERNEL = """\
#include "scale.cuh"
__global__ void k(float *y, const float *x, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = fminf(scaled(x[i]), 3.5f) + __fdividef(rsqrtf(x[i]), FACTOR);
}
int main() { return 0; }
"""
HEADER = "#pragma once\n#define FACTOR 0.25f\n__device__ inline float scaled(float x) { return x * 2; }\n"


async def promoted(folder: Path, text: str) -> tuple[Program | LabFailure, CpuLab]:
    (folder / "scale.cuh").write_text(HEADER)
    path = folder / "k.cu"
    path.write_text(text)
    lab = CpuLab(folder, link_kept_emulator(folder / "cache"), "h200")
    return await lab.promoted(Program((Source(path, text),), DEFAULT_FLAGS, working_directory=folder)), lab


async def test_what_the_gpu_s_compiler_gets_computes_in_double_headers_included(tmp_path: Path) -> None:
    found, lab = await promoted(tmp_path, KERNEL)
    try:
        assert isinstance(found, Program), found
        assert [source.path.name for source in found.sources] == ["k.cu", "scale.cuh"]
        assert not any("float" in source.text for source in found.sources)
        built = await lab.build(replace(found, kernels=("k(double*, double const*, int)",)), "sm_90")
        assert isinstance(built, Build), built
    finally:
        await lab.close()


@pytest.mark.parametrize("word", ["__float_as_int(x[i])", "__float2half(x[i])"])
async def test_narrow_bits_have_no_such_program_and_the_construct_is_named(tmp_path: Path, word: str) -> None:
    found, lab = await promoted(tmp_path, KERNEL.replace("scaled(x[i])", word))
    await lab.close()
    assert isinstance(found, LabFailure) and found.kind == "cannot_promote" and word.partition("(")[0] in found.message
