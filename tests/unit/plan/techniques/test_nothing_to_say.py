"""Findings of which a technique says nothing, or that there is nothing to change, as the kernel has no place for it."""

from __future__ import annotations

import pytest

from assistant.model.plan import Decline, DeclineReason
from assistant.plan.expert.block_shuffles import BlockShuffles
from assistant.plan.expert.block_size_search import BlockSizeSearch
from assistant.plan.expert.block_to_grid import BlockToGrid
from assistant.plan.expert.exchange_sort import ExchangeSort
from assistant.plan.expert.serial_to_block import SerialToBlock
from assistant.plan.expert.warp_per_row import WarpPerRow

PARTING = """// kernel=clip line=3 finding=KO109
__global__ void clip(float *x, int w, int h) {
    if (x[threadIdx.y * w + threadIdx.x] > 1.0f) x[threadIdx.y * w + threadIdx.x] = 1.0f;
}
void run(float *x, int w, int h) { clip<<<w, dim3(16, 16)>>>(x, w, h); }
"""
SUMMING = PARTING.replace("{\n    if", "{\n    __shared__ float s[256];\n    if", 1)


@pytest.mark.parametrize("technique", [BlockShuffles(), ExchangeSort()])
def test_lanes_that_part_without_a_reduction_or_a_sort_are_no_matter_of_these(context_of, technique):
    assert technique.rewrite(context_of(PARTING)) == ()


def test_a_kernel_of_many_threads_is_no_matter_of_a_rule_for_one(context_of):
    assert SerialToBlock().rewrite(context_of(PARTING.replace("KO109", "KO112"))) == ()


@pytest.mark.parametrize("place", ["kernel", "file", "macro"])
def test_with_shared_memory_the_block_is_looked_at(context_of, place):
    outside = {"kernel": "", "file": "extern __shared__ float s[];\n", "macro": "#define SHARED __shared__\n"}[place]
    text = SUMMING if place == "kernel" else PARTING.replace("__global__", f"{outside}__global__", 1)
    found = BlockShuffles().rewrite(context_of(text))
    assert isinstance(found, Decline) and found.code is DeclineReason.BLOCK_SHAPE


@pytest.mark.parametrize(("block", "is_narrow"), [("32, 2, 4", False), ("8, 8, 4", True)])
def test_a_block_as_wide_as_a_warp_is_not_made_wider_for_its_accesses(context_of, block, is_narrow):
    x, y, z = block.split(", ")
    text = f"""// kernel=scale line=4 finding=KO102
__global__ void scale(float *v, int w, int h, int d) {{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y, z = blockIdx.z * blockDim.z + threadIdx.z;
    if (x < w && y < h && z < d) v[(z * h + y) * w + x] *= 2;
}}
void run(float *v, int w, int h, int d) {{
    scale<<<dim3((w + {x} - 1) / {x}, (h + {y} - 1) / {y}, (d + {z} - 1) / {z}), dim3({block})>>>(v, w, h, d);
}}
"""
    assert bool(BlockSizeSearch().rewrite(context_of(text))) is is_narrow


def test_a_grid_that_grows_with_the_data_has_its_blocks_already(context_of):
    found = BlockToGrid().rewrite(context_of(PARTING))
    assert isinstance(found, Decline) and found.code is DeclineReason.ALREADY_DONE


@pytest.mark.parametrize(("finding", "is_said"), [("KO101", True), ("KO111", False)])
def test_of_a_small_grid_without_rows_a_warp_for_each_says_nothing(context_of, finding, is_said):
    text = f"""// kernel=sums line=5 finding={finding}
__global__ void sums(const float *a, float *out, int rows, int cols) {{
    int c = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0;
    for (int r = 0; r < rows; r++) sum += a[r * cols + c];
    out[c] = sum;
}}
void run(const float *a, float *out, int rows, int cols) {{ sums<<<cols / 128, 128>>>(a, out, rows, cols); }}
"""
    found = WarpPerRow().rewrite(context_of(text))
    assert isinstance(found, Decline) if is_said else found == ()
