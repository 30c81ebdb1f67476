"""Where a launch has far more blocks than a GPU holds, what is done once for a block is done by fewer: threads take several elements."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from assistant.model.launch import Dim3, LaunchConfig
from assistant.model.plan import Decline, DeclineReason
from assistant.model.verification import Label
from assistant.plan.expert.block_atomics import BlockAtomics
from assistant.plan.expert.block_shuffles import BlockShuffles
from assistant.plan.expert.private_histogram import PrivateHistogram
from assistant.plan.expert.register_tile import RegisterTiling
from assistant.plan.expert.rows_per_thread import RowsPerThread
from assistant.plan.expert.vectorized_access import VectorizedAccess

DATA = Path(__file__).resolve().parents[3] / "data" / "plan"
ATOMICS, HISTOGRAM, SHUFFLES = BlockAtomics(), PrivateHistogram(), BlockShuffles()


@pytest.fixture
def variants(context_of, applied):
    def check(technique, name: str, blocks: int, block: int) -> list[str]:
        text = (DATA / technique.technique / f"{name}.cu").read_text("utf-8")
        context = replace(context_of(text), launches=(LaunchConfig(Dim3(blocks), Dim3(block)),))
        return [applied(text, rewrite) for rewrite in technique.rewrite(context)]

    return check


def test_an_if_around_the_work_becomes_the_head_of_a_loop_over_the_grid(variants):
    coarse, plain = variants(ATOMICS, "weighted_total", 65536, 256)
    assert "for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x) {\n        float w" in coarse
    assert "<<<(n + 32 * THREADS - 1) / (32 * THREADS), THREADS>>>" in coarse
    assert "if (i < n) {" in plain
    assert "<<<(n + THREADS - 1) / THREADS, THREADS>>>" in plain


def test_an_early_return_becomes_the_loop_with_its_index_no_longer_const(variants):
    coarse, _ = variants(ATOMICS, "count_of_hits", 4224, 128)
    assert "  for (int idx = blockDim.x * blockIdx.x + threadIdx.x; idx < n; idx += blockDim.x * gridDim.x) {\n    const int v" in coarse
    assert "countAbove<<<(blocks + 3) / 4, threads>>>" in coarse
    assert "return;\n" not in coarse


def test_a_histogram_takes_more_elements_as_each_block_adds_its_whole_table(variants):
    coarse, _ = variants(HISTOGRAM, "letters", 4000, 512)
    assert "for (int tid = blockIdx.x * blockDim.x + threadIdx.x; tid < length; tid += blockDim.x * gridDim.x) {" in coarse
    assert "countLetters<<<(n + 4095) / 4096, 512>>>" in coarse


def test_a_thread_that_brings_one_element_to_its_blocks_sum_adds_up_several(variants):
    coarse, plain = variants(SHUFFLES, "one_element_a_thread", 65536, 256)
    assert (
        """\
    float sum = 0.0f;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x)
        sum += x[i] * y[i];
    for (int offset"""
        in coarse
    )
    assert "<<<(n + 32 * threads - 1) / (32 * threads), threads, threads * sizeof(float)>>>" in coarse
    assert "float value = (i < n) ? x[i] * y[i] : 0.0f;" in plain


def test_an_element_that_an_if_makes_is_added_in_the_same_lines(variants):
    coarse, _ = variants(SHUFFLES, "one_square_a_thread", 65536, 128)
    assert (
        """\
    double mine = 0.0;
    for (int i = threadIdx.x + blockIdx.x * BLOCK; i < n; i += blockDim.x * gridDim.x) {
        float d = want[i] - got[i];
        mine += d * d;
    }
    for (int offset"""
        in coarse
    )


@pytest.mark.parametrize("name", ["one_element_and_its_place", "one_element_for_each_block"])
def test_what_depends_on_the_thread_or_on_the_number_of_blocks_stays_one_element(variants, name):
    assert len(variants(SHUFFLES, name, 65536, 256)) == 1


def test_with_few_blocks_the_launch_stays_as_it_is(variants):
    assert len(variants(ATOMICS, "weighted_total", 2000, 256)) == 1
    assert len(variants(HISTOGRAM, "letters", 500, 512)) == 1


def test_a_loop_over_the_grid_of_its_own_needs_no_other(variants):
    assert len(variants(ATOMICS, "in_a_loop", 65536, 64)) == 1
    assert len(variants(HISTOGRAM, "bytes", 65536, 256)) == 1


def test_another_grid_is_a_change_of_host_code(context_of):
    text = (DATA / "private-histogram" / "letters.cu").read_text("utf-8")
    context = replace(context_of(text), launches=(LaunchConfig(Dim3(4000), Dim3(512)),))
    coarse, plain = HISTOGRAM.rewrite(context)
    assert (coarse.labels, plain.labels) == ((Label.HOST_CODE,), ())


def test_a_tile_with_one_element_along_an_axis_has_no_loop_over_it(context_of, applied):
    text = (DATA / "register-tile" / "symmetric_product.cu").read_text("utf-8").replace("dim3(32, 32)", "dim3(32, 8)")
    context = replace(context_of(text), launches=(LaunchConfig(Dim3(22, 24), Dim3(32, 8)),))
    for rewrite, elements, index in zip(RegisterTiling().rewrite(context)[:3], (2, 4, 2), ("r", "r", "c2"), strict=True):
        after = applied(text, rewrite)
        assert "< 1;" not in after and "[1]" not in after
        assert f"float s[{elements}];" in after and f"\ts[{index}] += " in after


def test_a_small_product_is_left_to_one_element_a_thread(context_of):
    text = (DATA / "register-tile" / "symmetric_product.cu").read_text("utf-8")
    context = replace(context_of(text), launches=(LaunchConfig(Dim3(4, 8), Dim3(32, 8)),))
    found = RegisterTiling().rewrite(context)
    assert isinstance(found, Decline) and found.code is DeclineReason.NO_GAIN


ROWS_OUT_OF_SIGHT = """\
// kernel=dense line=6 finding=KO108
__global__ void dense(const float *x, const float *w, float *y, int inputs, int outputs) {
    int sample = blockIdx.y, unit = blockIdx.x * blockDim.x + threadIdx.x;
    if (unit >= outputs) return;
    float acc = 0;
    for (int i = 0; i < inputs; ++i) acc += x[sample * inputs + i] * w[i * outputs + unit];
    y[sample * outputs + unit] = acc;
}
void run(const float *x, const float *w, float *y, int batch, int inputs, int outputs) {
    dense<<<dim3((outputs + 127) / 128, batch), 128>>>(x, w, y, inputs, outputs);
}
"""


def test_a_kernel_that_never_hears_how_many_rows_there_are_keeps_its_blocks(context_of):
    assert RegisterTiling().rewrite(context_of(ROWS_OUT_OF_SIGHT)) == ()


def test_it_gets_tiles_where_the_launch_passes_their_number(context_of, applied):
    text = ROWS_OUT_OF_SIGHT.replace("y, int inputs", "y, int batch, int inputs").replace("(x, w, y, inputs", "(x, w, y, batch, inputs")
    after = applied(text, RegisterTiling().rewrite(context_of(text))[0])
    assert "if (sample < batch && unit < outputs)" in after and "dim3((outputs + 127) / 128, (batch + 63) / 64), dim3(16, 8)" in after


@pytest.mark.parametrize(("blocks", "rows"), [((64, 64), [4, 2]), ((32, 17), [2]), ((8, 64), [])])
def test_a_thread_takes_as_many_rows_as_leave_the_gpu_busy(context_of, blocks: tuple[int, int], rows: list[int]) -> None:
    context = context_of((DATA / "rows-per-thread" / "heat_plate.cu").read_text("utf-8"))
    made = RowsPerThread().rewrite(replace(context, launches=(LaunchConfig(Dim3(*blocks), Dim3(32, 8)),)))
    if rows:
        assert [int(rewrite.summary.split()[1]) for rewrite in made] == rows
    else:
        assert isinstance(made, Decline) and made.code is DeclineReason.NO_GAIN


@pytest.mark.parametrize(
    ("element", "counts"), [("float", (4, 2)), ("unsigned char", (16, 8)), ("double", (2,)), ("int", (4, 2)), ("short", (8, 4))]
)
def test_how_wide_an_access_is_is_left_to_tuning(context_of, applied, element, counts):
    text = f"""// kernel=twice line=5 finding=KO113
__global__ void twice({element} *y, const {element} *x, int n)
{{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = 2 * x[i];
}}
void run({element} *y, const {element} *x, int n) {{ twice<<<(n + 255) / 256, 256>>>(y, x, n); }}
"""
    found = VectorizedAccess().rewrite(context_of(text))
    assert not isinstance(found, Decline), found.reason
    assert [one.numbers for one in found] == [(("elements_per_access", count),) for count in counts]
    for one, count in zip(found, counts, strict=True):
        assert f"Compute {count} neighbouring elements" in one.summary and f"{count} <= n" in applied(text, one)
