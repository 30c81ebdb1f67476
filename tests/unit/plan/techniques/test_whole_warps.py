"""Other numbers of warps a block: what of a kernel or of its launch holds it back, and how large the blocks may be."""

from __future__ import annotations

from pathlib import Path

import pytest

from assistant.model.plan import Decline, DeclineReason
from assistant.plan.expert.block_size_search import BlockSizeSearch

DATA = Path(__file__).resolve().parents[3] / "data" / "plan" / "block-size-search"


def changed(name: str, *replaced: tuple[str, str]) -> str:
    text = (DATA / f"{name}.cu").read_text("utf-8")
    for old, new in replaced:
        assert old in text
        text = text.replace(old, new)
    return text


@pytest.mark.parametrize(
    ("old", "new", "code"),
    [
        ("if (lid == 0)", "if (tid == 0)", DeclineReason.BLOCK_SIZE_MATTERS),
        ("list += gridDim.x * kWarps", "list += gridDim.x", DeclineReason.BLOCK_SIZE_MATTERS),
        ("list < count;", "list != count;", DeclineReason.NO_BOUNDS_CHECK),
        ("(count + kWarps - 1) / kWarps", "count / kWarps", DeclineReason.GRID_FORM),
        ("<<<(count + kWarps - 1) / kWarps, kThreads>>>", "<<<count, 32>>>", DeclineReason.BLOCK_SIZE_MATTERS),
        ("kThreads>>>", "dim3(kThreads, 2)>>>", DeclineReason.BLOCK_SHAPE),
        ("int best = -2147483647;", 'int best; asm("mov.u32 %0, %laneid;" : "=r"(best));', DeclineReason.BLOCK_SIZE_MATTERS),
        ("out, in, length, count)", "out, in, length + kWarps, count)", DeclineReason.USED_ELSEWHERE),
    ],
)
def test_a_kernel_or_launch_that_knows_its_warps_is_left_alone(old, new, code, context_of):
    result = BlockSizeSearch().rewrite(context_of(changed("warps_of_a_constant", (old, new))))
    assert isinstance(result, Decline)
    assert result.code is code, result.reason


def test_blocks_are_as_large_as_the_bounds_allow_that_follow_them(context_of):
    text = changed("warps_of_a_constant", ("__launch_bounds__(kThreads)", "__launch_bounds__(kThreads, 8)"))
    sizes = [size for rewrite in BlockSizeSearch().rewrite(context_of(text)) for _, size in rewrite.numbers]
    assert sizes == [256, 128]


def test_a_warp_that_asks_nothing_but_its_sign_is_not_bounded(context_of):
    text = changed("warp_of_the_global_index", ("row >= rows", "row < 0"))
    result = BlockSizeSearch().rewrite(context_of(text))
    assert isinstance(result, Decline)
    assert result.code is DeclineReason.NO_BOUNDS_CHECK


def test_lanes_without_shuffles_are_whole_warps_too(context_of, applied):
    text = changed("warp_of_the_global_index", ("sum = folded(sum);", ""), ("if (!lane) out[row] = sum;", "atomicAdd(&out[row], sum);"))
    text = text.replace("thread >> 5", "thread / 32").replace("lane = thread & 31", "lane = threadIdx.x % 32")
    first = BlockSizeSearch().rewrite(context_of(text))[0]
    assert "<<<(rows * 32 + 255) / 256, 256>>>" in applied(text, first)
