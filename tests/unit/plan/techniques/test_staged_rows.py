"""staged-rows: what it makes of blocks, launches and loops that stand elsewhere than in its whole programs."""

from __future__ import annotations

from dataclasses import replace

import pytest

from assistant.model.launch import Dim3, LaunchConfig
from assistant.model.plan import Decline
from assistant.plan.expert.staged_rows import StagedRows

PROGRAM = """// kernel=k line=8 finding=KO101
__global__ void k(float *y, const float *x, int rows, int n)
{
    int r = blockIdx.x * blockDim.x + threadIdx.x;
    if (r >= rows) return;
    float s = 0.0f;
    for (int j = 0; j < n; j++) {
        s = 0.5f * s + x[r * n + j];
        y[r * n + j] = s;
    }
}

int main()
{
    int rows = 500, n = 90;
    float *x, *y;
    cudaMalloc(&x, rows * n * sizeof(float));
    cudaMalloc(&y, rows * n * sizeof(float));
    k<<<(rows + 63) / 64, 64>>>(y, x, rows, n);
}
"""


@pytest.fixture
def edited(context_of, applied):
    def check(text: str = PROGRAM) -> str:
        result = StagedRows().rewrite(context_of(text))
        assert not isinstance(result, Decline), result.reason
        assert len(result) == 1
        return applied(text, result[0])

    return check


@pytest.fixture
def reason(context_of):
    def check(text: str) -> str:
        result = StagedRows().rewrite(context_of(text))
        assert isinstance(result, Decline)
        return result.reason

    return check


@pytest.mark.parametrize(("threads", "columns"), [(64, 32), (128, 32), (192, 16), (256, 16), (512, 8)])
def test_larger_blocks_hold_shorter_pieces(edited, threads, columns):
    text = edited(PROGRAM.replace("63) / 64, 64", f"{threads - 1}) / {threads}, {threads}"))
    assert f"x_tile[{threads}][{columns} + 1]" in text
    assert threads * (columns + 1) * 2 * 4 <= 48 * 1024


def test_doubles_take_twice_the_room(edited):
    assert "x_tile[64][32 + 1]" in edited()
    assert "x_tile[64][32 + 1]" in edited(PROGRAM.replace("float", "double"))
    assert "x_tile[128][16 + 1]" in edited(PROGRAM.replace("float", "double").replace("63) / 64, 64", "127) / 128, 128"))


def test_without_a_bounds_check_all_rows_are_there(edited):
    text = edited(PROGRAM.replace("    if (r >= rows) return;\n", "").replace("line=8", "line=7"))
    assert "is_inside" not in text
    assert "x_tile[r2][column] = x[other_r * n + at];" in text


def test_what_a_row_ends_with_is_read_behind_a_barrier(edited):
    text = edited(PROGRAM.replace("    }\n}\n\nint main", "    }\n    y[r * n] += y[r * n + n - 1];\n}\n\nint main"))
    assert "    }\n    __syncthreads();\n    if (is_inside) y[r * n] += y[r * n + n - 1];" in text


def test_rows_that_the_kernel_begins_with_are_waited_for(edited):
    text = edited(PROGRAM.replace("const float *x", "float *x").replace("float s = 0.0f;", "float s = 0.0f;\n    x[r * n] = 1.0f;"))
    assert "__syncthreads();\n    for (int chunk = 0;" in text


def test_rows_a_line_apart_are_left_alone(context_of):
    """Neighbours in a warp touch neighbours in memory: the loop walks down a column."""
    assert StagedRows().rewrite(context_of(PROGRAM.replace("r * n + j", "j * rows + r"))) == ()


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("63) / 64, 64>>>", "7) / 8, dim3(8, 8)>>>", "whole warps"),
        ("n);\n", "n);\n    k<<<(rows + 127) / 128, 128>>>(y, x, rows, n);\n", "one constant for all launches"),
        ("j < n; j++", "j < n; j += 2", "count one by one"),
        ("j < n; j++", "j < r; j++", "equally often: `r` may differ"),
        ("j < n; j++", "j < 12; j++", "16 elements or more"),
        ("x[r * n + j];", "atomicAdd(y + r * n, s) + x[r * n + j];", "plain loads and stores"),
        ("    for (int j", "    while (s < 1.0f)\n    for (int j", "in one bounds check at most"),
        ("    float s = 0.0f;", "    float s = 0.0f;\n    if (s < x[r]) { y[r * n] = s; return; }", "by nothing but `if (i >= n) return;`"),
        ("(y, x, rows, n);\n", "(x + 1, x, rows, n);\n", "may be the same memory"),
    ],
)
def test_what_would_have_to_hold_is_said(reason, old, new, words):
    assert PROGRAM.count(old) == 1
    added = new[: new.rfind("\n") + 1].count("\n") if old.startswith("    ") else 0
    assert words in reason(PROGRAM.replace(old, new).replace("line=8", f"line={8 + added}"))


@pytest.mark.parametrize(("blocks", "is_declined"), [(131, True), (132, False), (1000, False)])
def test_few_warps_find_their_rows_in_l1(context_of, blocks, is_declined):
    context = replace(context_of(PROGRAM), launches=(LaunchConfig(Dim3(7), Dim3(64)), LaunchConfig(Dim3(blocks), Dim3(64))))
    result = StagedRows().rewrite(context)
    assert isinstance(result, Decline) is is_declined
    if isinstance(result, Decline):
        assert result.reason.startswith("the launch would have to have 264 warps or more, two for each multiprocessor of a large GPU")
