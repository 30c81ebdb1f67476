"""Blocks that keep what they work on, and have fewer threads for it, each with several neighbouring elements."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from assistant.model.launch import Dim3, LaunchConfig
from assistant.model.plan import Decline, DeclineReason
from assistant.model.source import Source
from assistant.model.verification import Label
from assistant.plan.expert.block_scan import BlockScan
from assistant.plan.expert.vectorized_access import VectorizedAccess

DATA = Path(__file__).resolve().parents[3] / "data" / "plan"
ADD = """\
// kernel=add line=5 finding=KO118
__global__ void add(float *out, const float *offsets, int n)
{
    int i = blockIdx.x * 256 + threadIdx.x;
    if (i < n) out[i] += offsets[blockIdx.x];
}
"""
RUN = "void run(float *out, float *offsets, int n) { add<<<(n + 255) / 256, 256>>>(out, offsets, n); }\n"
DECLARED = """\
/* kernelopt
[workload.add]
args = { out = "randn(n)", offsets = "randn(n / 256)", n = "n" }
grid = ["ceil(n/256)"]
block = [256]
shapes = [{ n = 4096 }]
*/
"""
SCAN = """\
// kernel=scan line=10 finding=KO119
#define BLOCK 256
__global__ void scan(const int *in, int *out, int *totals, int n)
{
    __shared__ int s[BLOCK];
    int t = threadIdx.x;
    int i = blockIdx.x * BLOCK + t;
    s[t] = i < n ? in[i] : 0;
    __syncthreads();
    for (int d = 1; d < BLOCK; d *= 2) {
        int v = t >= d ? s[t - d] : 0;
        __syncthreads();
        s[t] += v;
        __syncthreads();
    }
    if (i < n) out[i] = s[t];
    if (t == BLOCK - 1) totals[blockIdx.x] = s[t];
}
void run(const int *in, int *out, int *totals, int n) { scan<<<(n + BLOCK - 1) / BLOCK, BLOCK>>>(in, out, totals, n); }
"""
STORE = "if (i < n) out[i] = s[t];"


@pytest.fixture
def of_items(context_of):
    """The rewrites of a scan in which a thread has several elements."""

    def check(text: str):
        found = BlockScan().rewrite(context_of(text))
        assert not isinstance(found, Decline), found.reason
        return [rewrite for rewrite in found if rewrite.numbers]

    return check


def test_a_declared_block_has_a_quarter_of_its_threads_and_the_grid_stays(context_of, applied):
    context = replace(context_of(ADD + DECLARED), launches=(LaunchConfig(Dim3(16), Dim3(256)),))
    (first, *_) = VectorizedAccess().rewrite(context)
    after = applied(ADD + DECLARED, first)
    assert "block = [64]" in after and 'grid = ["ceil(n/256)"]' in after
    assert first.assumptions[0].startswith("your own code launches add with as many blocks, of 64 threads each")


def test_a_launch_in_another_file_is_changed_there(context_of):
    (first, *_) = VectorizedAccess().rewrite(context_of(ADD, others=(Source(Path("/run.cu"), RUN),)))
    (other,) = first.in_others
    (edit,) = other.edits
    assert (RUN[edit.span.start : edit.span.end], edit.new_text) == ("256", "64")
    assert first.labels == (Label.HOST_CODE,)


@pytest.mark.parametrize(
    ("launch", "expected"),
    [
        ("const int threads = 256; add<<<(n + 255) / 256, threads>>>", "<<<(n + 255) / 256, threads / 4>>>"),
        ("dim3 block(256); add<<<(n + 255) / 256, block>>>", "dim3 block(64); add<<<(n + 255) / 256, block>>>"),
        ("dim3 block(256); add<<<(n + block.x - 1) / block.x, block>>>", "<<<(n + block.x - 1) / block.x, block.x / 4>>>"),
        ("add<<<dim3((n + 255) / 256), dim3(256)>>>", "<<<dim3((n + 255) / 256), dim3(64)>>>"),
        ("add<<<(n + 255) / 256, 128 + 128>>>", "<<<(n + 255) / 256, (128 + 128) / 4>>>"),
    ],
)
def test_the_block_is_divided_as_it_is_written(launch, expected, context_of, applied):
    text = f"{ADD}void run(float *out, float *offsets, int n) {{ {launch}(out, offsets, n); }}\n"
    (first, *_) = VectorizedAccess().rewrite(context_of(text))
    assert expected in applied(text, first)


@pytest.mark.parametrize(
    ("launches", "code"),
    [
        ("add<<<n / 256, 256>>>(out, offsets, n); add<<<n / 256, 128>>>(out, offsets, n);", DeclineReason.GUARD_FORM),
        ("add<<<n / 256, dim3(256, 2)>>>(out, offsets, n);", DeclineReason.BLOCK_SHAPE),
        ("int b = n / 8; add<<<n / 256, b>>>(out, offsets, n);", DeclineReason.GUARD_FORM),
    ],
)
def test_blocks_that_are_not_all_as_large_as_the_index_says_stay(launches, code, context_of):
    found = VectorizedAccess().rewrite(context_of(f"{ADD}void run(float *out, float *offsets, int n) {{ {launches} }}\n"))
    assert isinstance(found, Decline) and found.code is code


@pytest.mark.parametrize("bound", ["gridDim.x * blockDim.x", "ends[blockIdx.x]", "last"])
def test_a_bound_that_follows_from_the_launch_stays(bound, context_of):
    text = ADD.replace("int n)", "const int *ends, int n)").replace(
        "    if (i < n)", f"    const int last = blockDim.x * 4; if (i < {bound})"
    )
    found = VectorizedAccess().rewrite(context_of(text + RUN))
    assert isinstance(found, Decline) and found.code is DeclineReason.BLOCK_SIZE_MATTERS


def test_a_plane_of_the_grid_leaves_the_block_as_it_is(context_of, applied):
    text = (
        ADD.replace("* 256", "* blockDim.x").replace("    if", "    float shift = blockIdx.y; if").replace("offsets[blockIdx.x]", "shift")
    )
    (first, *_) = VectorizedAccess().rewrite(context_of(text + RUN))
    assert "add<<<(n + 1023) / 1024, 256>>>" in applied(text + RUN, first)


def test_what_is_looked_up_for_the_whole_grid_leaves_the_block_as_it_is(context_of, applied):
    text = (DATA / "vectorized-access" / "share_of_the_total.cu").read_text("utf-8")
    (first, *_) = VectorizedAccess().rewrite(context_of(text))
    assert "<<<(n + 1023) / 1024, 256>>>" in applied(text, first)


def test_a_scan_of_whole_numbers_by_fewer_threads_asks_for_host_code_alone(of_items):
    found = of_items(SCAN)
    assert [each.numbers for each in found] == [(("items_per_thread", 4),), (("items_per_thread", 2),)]
    assert {each.labels for each in found} == {(Label.HOST_CODE,)}


def test_a_scan_of_floats_is_added_in_another_order(of_items):
    (first, *_) = of_items(SCAN.replace("int *", "float *").replace("__ int s", "__ float s").replace("int v", "float v"))
    assert first.labels == (Label.HOST_CODE, Label.REASSOCIATION)


@pytest.mark.parametrize(
    "store",
    [
        "if (i < n) out[n - 1 - i] = s[t];",
        "if (i < n) out[i] = s[t] + t;",
        "if (i < n) out[i] = s[t] * blockDim.x;",
        "if (i < n) out[i] += s[t];",
        "if (i < n) out[i] = s[t] / in[i];",
        "if (i < n) out[i] = s[t] + totals[i];",
        "if (i < n && in[i] > 0) out[i] = s[t];",
        "if (i < n - 1) out[i] = s[t];",
        "out[i] = s[t];",
        "if (i < n) atomicAdd(&out[i], s[t]);",
        "if (i < n) { out[i] = s[t]; totals[t] = 0; }",
        "if (i < n) out[i] = s[t]; else out[i] = 0;",
        "if (t == 7 && n > 3) totals[0] = s[t]; if (i < n) out[i] = s[t];",
        "if (t == 0) totals[i] = s[BLOCK - 1]; if (i < n) out[i] = s[t];",
        "if (i < n) { out[i] = s[t]; out[i] = 2 * s[t]; }",
    ],
)
def test_a_thread_that_does_more_than_its_element_needs_keeps_one(store, of_items):
    assert SCAN.count(STORE) == 1
    assert of_items(SCAN.replace(STORE, store)) == []


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("in[i] : 0", "in[i] + t : 0"),
        ("in[i] : 0", "in[i + 1] : 0"),
        ("in[i] : 0", "in[i] * in[0] : 0"),
        ("i < n ? in[i] : 0", "i < n && in[i] > 0 ? 1 : 0"),
        ("i < n ? in[i] : 0", "i < n ? (in[i] > 0 ? totals[i] : 0) : 0"),
        ("i < n ? in[i] : 0", "i < n ? atomicAdd(&totals[i], 1) : 0"),
        ("const int *in", "const volatile int *in"),
        ("    int t = threadIdx.x;", "    in += n;\n    int t = threadIdx.x;"),
        ("blockIdx.x * BLOCK + t;", "(blockIdx.x * BLOCK + t) * 2;"),
        ("blockIdx.x * BLOCK + t;", "blockIdx.x * 128 + t;"),
    ],
)
def test_a_thread_that_loads_more_than_its_element_keeps_one(old, new, context_of):
    assert old in SCAN
    text = SCAN.replace(old, new)
    text = text.replace("line=10", f"line={10 + text.count(chr(10)) - SCAN.count(chr(10))}")
    found = BlockScan().rewrite(context_of(text))
    assert isinstance(found, Decline) or not any(rewrite.numbers for rewrite in found)


def test_blocks_whose_quarter_is_no_two_warps_have_two_elements_a_thread(of_items):
    assert [each.numbers for each in of_items(SCAN.replace("BLOCK 256", "BLOCK 128"))] == [(("items_per_thread", 2),)]
    assert of_items(SCAN.replace("BLOCK 256", "BLOCK 64")) == []
