"""Findings of which a technique says nothing, or that there is nothing to change, as the kernel has no place for it."""

from __future__ import annotations

import pytest

from assistant.model.plan import Decline, DeclineReason
from assistant.plan.expert.block_shuffles import BlockShuffles
from assistant.plan.expert.block_to_grid import BlockToGrid
from assistant.plan.expert.exchange_sort import ExchangeSort

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


@pytest.mark.parametrize("place", ["kernel", "file", "macro"])
def test_with_shared_memory_the_block_is_looked_at(context_of, place):
    outside = {"kernel": "", "file": "extern __shared__ float s[];\n", "macro": "#define SHARED __shared__\n"}[place]
    text = SUMMING if place == "kernel" else PARTING.replace("__global__", f"{outside}__global__", 1)
    found = BlockShuffles().rewrite(context_of(text))
    assert isinstance(found, Decline) and found.code is DeclineReason.BLOCK_SHAPE


def test_a_grid_that_grows_with_the_data_has_its_blocks_already(context_of):
    found = BlockToGrid().rewrite(context_of(PARTING))
    assert isinstance(found, Decline) and found.code is DeclineReason.ALREADY_DONE
