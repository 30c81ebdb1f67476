"""Grids that follow the block's size, however they are written, and those that do not."""

from __future__ import annotations

import pytest

from assistant.cuda.launch_shape import block_dims
from assistant.model.plan import Decline
from assistant.plan.expert.analysis.kernel_launches import launches_of
from assistant.plan.expert.block_size_search import BlockSizeSearch
from assistant.plan.expert.coalescing_interchange import CoalescingInterchange

KERNEL = """\
// kernel=k line=6 finding=KO112
#define DIV_UP(a, b) (((a) - 1) / (b) + 1)
static int ceil_div(int a, int b) { return (a + b - 1) / b; }
__global__ void k(float *a, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) a[i] = 0;
}
"""


def program(host):
    return f"{KERNEL}void run(float *a, int n, int m) {{ {host} }}\n"


@pytest.mark.parametrize(
    "host",
    [
        "k<<<(n + 47) / 48, 48>>>(a, n);",
        "k<<<(47 + n) / 48, 48>>>(a, n);",
        "k<<<1 + (n - 1) / 48, 48>>>(a, n);",
        "k<<<DIV_UP(n, 48), 48>>>(a, n);",
        "k<<<ceil_div(n, 48), dim3(48)>>>(a, n);",
        "const int t = 48; k<<<(n * m + t - 1) / t, t>>>(a, n * m);",
        "dim3 b(48); dim3 g((n + b.x - 1) / b.x); k<<<g, b>>>(a, n);",
        "dim3 b = {48}, g; g.x = ceil_div(n, b.x); k<<<g, b>>>(a, n);",
        "unsigned t{48}; unsigned g = (n + t - 1) / t; k<<<g, t, 0, 0>>>(a, n);",
    ],
)
def test_a_grid_that_rounds_up_follows_the_block(host, context_of, applied):
    text = program(host)
    rewrites = BlockSizeSearch().rewrite(context_of(text))
    assert not isinstance(rewrites, Decline), rewrites.reason
    changed = applied(text, rewrites[0])
    assert "48" not in changed
    assert "47" not in changed
    assert [block_dims(launch).x for launch in launches_of(context_of(changed))] == [256]


@pytest.mark.parametrize(
    "host",
    [
        "k<<<n / 48, 48>>>(a, n);",
        "k<<<100, 48>>>(a, n);",
        "k<<<(n + 31) / 32, 48>>>(a, n);",
        "int t = 48; int g = (n + t - 1) / t; a[g] = 0; k<<<g, t>>>(a, n);",
        "int t = 48; t = n; k<<<(n + t - 1) / t, t>>>(a, n);",
        "k<<<(n + m - 1) / m, m>>>(a, n);",
        "dim3 b(48); b.x = m; k<<<(n + 47) / 48, b>>>(a, n);",
    ],
)
def test_any_other_grid_is_left_alone(host, context_of):
    assert isinstance(BlockSizeSearch().rewrite(context_of(program(host))), Decline)


EXCHANGED = """\
// kernel=k line=4 finding=KO101
__global__ void k(float *a, int h, int w) {
  int y = blockIdx.x * 16 + threadIdx.x, x = blockIdx.y * 16 + threadIdx.y;
  if (y < h && x < w) a[y * w + x] = 0;
}
__global__ void other(float *a);
"""


@pytest.mark.parametrize(
    ("host", "expected"),
    [
        ("void run(float *a) { dim3 g(2, 3), b(16, 16); k<<<g, b>>>(a, 9, 9); }", "dim3 g(3, 2), b(16, 16); k<<<g, b>>>"),
        ("dim3 g(2, 3);\nvoid run(float *a) { k<<<g, dim3(16, 16)>>>(a, 9, 9); }", "k<<<dim3(g.y, g.x), dim3(16, 16)>>>"),
        (
            "void run(float *a) { dim3 g(2, 3), b(16, 16); other<<<g, b>>>(a); k<<<g, b>>>(a, 9, 9); }",
            "other<<<g, b>>>(a); k<<<dim3(g.y, g.x), b>>>",
        ),
        ("void run(float *a, dim3 g) { k<<<g, dim3(16, 16)>>>(a, 9, 9); }", "k<<<dim3(g.y, g.x, g.z), dim3(16, 16)>>>"),
        ("void run(float *a) { k<<<dim3(2, 3, 1), dim3{16, 16, 1}>>>(a, 9, 9); }", "k<<<dim3(3, 2, 1), dim3{16, 16, 1}>>>"),
    ],
)
def test_x_and_y_of_a_launch_are_exchanged_where_nothing_else_sees_it(host, expected, context_of, applied):
    text = EXCHANGED + host + "\n"
    rewrites = CoalescingInterchange().rewrite(context_of(text))
    assert not isinstance(rewrites, Decline), rewrites.reason
    assert expected in applied(text, rewrites[0])


STENCIL = """\
// kernel=relax line=4 finding=KO102
__global__ void relax(const float *from, float *to, int w, int h) {
    int i = blockIdx.x * blockDim.x + threadIdx.x, j = blockIdx.y * blockDim.y + threadIdx.y;
    if (i >= 1 && i < w && j < h) to[j * w + i] = from[j * w + i - 1];
}
void run(const float *from, float *to, int w, int h) {
    dim3 block(SIZES), grid((w + block.x - 1) / block.x, (h + block.y - 1) / block.y);
    relax<<<grid, block>>>(from, to, w, h);
}
"""


@pytest.mark.parametrize(
    ("sizes", "tried"),
    [("16, 16", ["32 x 8", "64 x 4", "128 x 2"]), ("8, 32", ["32 x 8", "64 x 4", "128 x 2"]), ("32, 8", []), ("64, 2", [])],
)
def test_a_block_narrower_than_a_warp_is_widened_where_accesses_waste_sectors(context_of, sizes: str, tried: list[str]) -> None:
    rewrites = BlockSizeSearch().rewrite(context_of(STENCIL.replace("SIZES", sizes)))
    assert not isinstance(rewrites, Decline)
    assert [rewrite.summary.split(" threads ")[0].removeprefix("Launch blocks of ") for rewrite in rewrites] == tried
