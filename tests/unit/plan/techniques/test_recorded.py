"""What recorded launches add to the techniques: a guard where the kernel can ask, an assumption where it cannot, nothing where they speak
against the edit."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from assistant.model.launch import Dim3, LaunchConfig
from assistant.model.plan import Decline, Rewrite
from assistant.model.recorded_facts import FactsOrigin, LaunchShape, PointerPair, RecordedFacts, Separation
from assistant.model.verification import Label
from assistant.plan.expert.const_restrict import ConstRestrict
from assistant.plan.expert.hoisted_loads import HoistedLoads
from assistant.plan.expert.scalar_replacement import ScalarReplacement
from assistant.plan.expert.warp_shuffle_tail import WarpShuffleTail
from tests.unit.plan.conftest import make_applied, make_context

DATA = Path(__file__).resolve().parents[3] / "data" / "plan"
REDUCTION = (DATA / "warp-shuffle-tail" / "block_chosen_at_run_time.cu").read_text("utf-8")
GUARDED = """\
    const bool block_fits = blockDim.x >= 64 && (blockDim.x & (blockDim.x - 1)) == 0 && blockDim.y * blockDim.z == 1;
    for (int s = blockDim.x / 2; s >= (block_fits ? 32 : 1); s >>= 1) {
        if (tid < s)
            sh[tid] += sh[tid + s];
        __syncthreads();
    }
    if (block_fits && tid < 32) {
"""
SUMS = """\
// kernel=sums line=4 finding=KO107
__global__ void sums(float *out, float *m, int n) {
    for (int k = 0; k < n; ++k)
        out[threadIdx.x] += m[k];
}
int main() {
    float *buf[2];
    for (int b = 0; b < 2; ++b) cudaMalloc(&buf[b], 1024);
    for (int cur = 0; cur < 2; ++cur) sums<<<1, 32>>>(buf[1 - cur], buf[cur], 8);
}
"""


def recorded(kernel: str, blocks: tuple[int, ...] = (256,), separation: Separation = Separation.APART) -> RecordedFacts:
    shapes = tuple(LaunchShape(LaunchConfig(Dim3(4), Dim3(size)), 6) for size in blocks)
    pairs = (PointerPair("out", "m", separation, 6),)
    return RecordedFacts(kernel, FactsOrigin.RECORDED, 6 * len(blocks), 6 * len(blocks), shapes, (), pairs, ())


def edit(technique: object, text: str, facts: RecordedFacts | None) -> Rewrite | Decline:
    result = technique.rewrite(replace(make_context(text), recorded=facts))  # pyright: ignore[reportAttributeAccessIssue]
    return result if isinstance(result, Decline) else result[0]


def test_a_block_that_is_only_known_when_it_runs_is_asked_for() -> None:
    rewrite = edit(WarpShuffleTail(), REDUCTION, recorded("block_sum", (256, 128)))
    assert isinstance(rewrite, Rewrite) and GUARDED in make_applied(REDUCTION, rewrite)
    assert not rewrite.labels and not rewrite.assumptions


@pytest.mark.parametrize("blocks", [None, (96,), (256, 32)])
def test_a_block_that_would_not_fit_is_not_asked_for(blocks: tuple[int, ...] | None) -> None:
    assert isinstance(edit(WarpShuffleTail(), REDUCTION, None if blocks is None else recorded("block_sum", blocks)), Decline)


def test_a_loop_that_starts_elsewhere_for_another_block_is_left_alone() -> None:
    text = REDUCTION.replace("int s = blockDim.x / 2", "int s = 128")
    assert isinstance(edit(WarpShuffleTail(), text, recorded("block_sum")), Decline)


@pytest.mark.parametrize("technique", [ScalarReplacement(), ConstRestrict()])
def test_pointers_that_only_recorded_launches_show_to_be_apart_are_an_assumption(technique: object) -> None:
    rewrite = edit(technique, SUMS, recorded("sums"))
    assert isinstance(rewrite, Rewrite) and rewrite.labels == (Label.ASSUMPTION,)
    (assumption,) = rewrite.assumptions
    assert assumption.startswith("`out` never overlaps `m`: true in all 6 recorded launches, but the text does not show it")


@pytest.mark.parametrize("technique", [ScalarReplacement(), ConstRestrict()])
@pytest.mark.parametrize("separation", [None, Separation.SAME_ADDRESS, Separation.ONE_ALLOCATION, Separation.UNKNOWN])
def test_anything_else_is_declined(technique: object, separation: Separation | None) -> None:
    assert isinstance(edit(technique, SUMS, None if separation is None else recorded("sums", separation=separation)), Decline)


@pytest.mark.parametrize("technique", [ScalarReplacement(), ConstRestrict()])
def test_a_launch_that_passes_one_buffer_for_both_is_not_taken_back_by_what_was_recorded(technique: object) -> None:
    text = SUMS.replace("}\n}\n", "}\n}\n").replace(
        "buf[cur], 8);", "buf[cur], 8);\n    float *one; cudaMalloc(&one, 64); if (buf[0] == one) sums<<<1, 32>>>(one, one, 8);"
    )
    assert isinstance(edit(technique, text, recorded("sums")), Decline)


@pytest.mark.parametrize("technique", [ScalarReplacement(), ConstRestrict()])
def test_a_recorded_launch_speaks_against_what_the_text_seems_to_keep_apart(technique: object) -> None:
    text = SUMS.replace(
        "sums<<<1, 32>>>(buf[1 - cur], buf[cur], 8)", "{ float *p, *q; cudaMalloc(&p, 64); cudaMalloc(&q, 64); sums<<<1, 32>>>(p, q, 8); }"
    )
    assert isinstance(edit(technique, text, None), Rewrite)
    assert isinstance(edit(technique, text, recorded("sums", separation=Separation.SAME_ADDRESS)), Decline)


def test_declared_launches_show_nothing_of_a_programs_own() -> None:
    declared = replace(recorded("sums"), origin=FactsOrigin.DECLARED)
    assert isinstance(edit(ScalarReplacement(), SUMS, declared), Decline)


GAINS = SUMS.replace("finding=KO107", "finding=KO113").replace("+= m[k]", "= m[threadIdx.x] * k").replace("out[threadIdx.x] =", "out[k] =")


def test_a_value_is_loaded_before_the_loop_where_recorded_launches_keep_the_stores_apart_from_it() -> None:
    rewrite = edit(HoistedLoads(), GAINS, recorded("sums"))
    assert isinstance(rewrite, Rewrite) and rewrite.labels == (Label.ASSUMPTION,)
    assert rewrite.assumptions[0].startswith("`out` never overlaps `m`: true in all 6 recorded launches")
    assert isinstance(edit(HoistedLoads(), GAINS, None), Decline)
    assert isinstance(edit(HoistedLoads(), GAINS, recorded("sums", separation=Separation.ONE_ALLOCATION)), Decline)
