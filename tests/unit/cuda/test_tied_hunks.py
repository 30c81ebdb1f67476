"""Hunks that only work together are one choice; those that touch nothing in common are decided apart."""

from __future__ import annotations

from pathlib import Path

import pytest

from assistant.cuda.tied_hunks import tied_hunks
from tests.changes import change

PLANS = Path(__file__).resolve().parents[2] / "data" / "plan"
_GAP = "\n".join(f"// {n}" for n in range(8)) + "\n"
_MATMUL = "k() {\n    C[i] = 0.0f;\n" + _GAP + "    C[i] += A[k] * B[k];\n" + _GAP + "    done();\n}\n"
_WAVES = "    return 1.0 - t;\n" + _GAP + "    x = sqrt(0.01 * s);\n" + _GAP + "    y = sqrt(0.9 * t);\n"

_MACRO = "#define N 32\n" + _GAP + _WAVES


def _numbers(before: str, after: str) -> list[list[int]]:
    """Numbers of the hunks in each choice."""
    files = change(Path("/w/a.cu"), before, after)
    ids = [hunk.id for each in files for hunk in each.hunks]
    return [[ids.index(i) + 1 for i in choice] for choice in tied_hunks(files)]


@pytest.mark.parametrize(
    ("before", "after", "choices"),
    [
        (
            _MATMUL,
            _MATMUL.replace("C[i] = 0.0f", "float sum = 0.0f").replace("C[i] +=", "sum +=").replace("done()", "C[i] = sum"),
            [[1, 2, 3]],
        ),
        (_WAVES, _WAVES.replace("1.0 ", "1.0f ").replace("0.01 ", "0.01f ").replace("0.9 ", "0.9f "), [[1], [2], [3]]),
        (_WAVES, _WAVES.replace("sqrt(0.01", "sqrtf(0.01f").replace("sqrt(0.9", "sqrtf(0.9f"), [[1], [2]]),
        (_MACRO, _MACRO.replace("N 32", "M 33").replace("0.9 ", "M * ").replace("1.0 ", "1.0f "), [[1, 3], [2]]),
    ],
    ids=["a variable that all use", "literals", "functions of the library", "a macro and its use"],
)
def test_hunks_are_tied_by_what_one_brings_and_another_uses(before: str, after: str, choices: list[list[int]]) -> None:
    assert _numbers(before, after) == choices


def test_a_function_of_the_program_ties_its_definition_and_its_call() -> None:
    before = "__device__ float f(float x) { return x; }\n" + _GAP + "    y = 1;\n" + _GAP + "    g(2);\n"
    after = before.replace("float f(float x)", "float h(float x, int n)").replace("y = 1", "y = h(x, 4)").replace("g(2)", "g(3)")
    assert _numbers(before + "void h(int a) {}\n", after + "void h(int a) {}\n") == [[1, 2], [3]]


def test_hunks_of_several_files_are_tied_across_them() -> None:
    header = change(Path("/w/a.cuh"), "#define TILE 16\n", "#define TILE 32\n#define ROWS 8\n")
    main = change(Path("/w/main.cu"), "dim3 block(16, 16);\n", "dim3 block(TILE, ROWS);\n")
    assert len(tied_hunks((*header, *main))) == 1


def test_the_size_of_an_array_goes_with_what_uses_it_otherwise() -> None:
    before = "    __shared__ float part[256];\n" + _GAP + "    part[t] = v;\n" + _GAP + "    z = 0.5;\n"
    after = before.replace("part[256]", "part[8]").replace("    part[t] = v", "    w = v").replace("0.5", "0.5f")
    assert _numbers(before, after) == [[1, 2], [3]]


_SCALED = (
    "__global__ void scale(float *y, const float *x, int n) {\n    int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
    + _GAP
    + "    if (i < n) y[i] = x[i];\n"
    + _GAP
    + "    z = 0.5 * w[i];\n}\n"
    + _GAP
    + "void run(float *y, float *x, int n) {\n    scale<<<(n + 255) / 256, 256>>>(y, x, n);\n"
    + _GAP
    + "    report(n);\n}\n"
)
_ONE_INDEX = "blockIdx.x * blockDim.x + threadIdx.x"
_FEWER = ("(n + 255) / 256", "(n + 511) / 512")


@pytest.mark.parametrize(
    ("edits", "choices"),
    [
        ((_FEWER, (_ONE_INDEX, f"2 * ({_ONE_INDEX})"), ("0.5 *", "0.5f *")), [[1, 3], [2]]),
        ((_FEWER, ("y[i] = x[i];", "copy2(y, x, 2 * i);"), ("report(n)", "report(n + 0)")), [[1, 2], [3]]),
        (((_ONE_INDEX, f"2 * ({_ONE_INDEX})"), ("0.5 *", "0.5f *"), ("report(n)", "report(n + 0)")), [[1], [2], [3]]),
        ((("(y, x, n);", "(y + 0, x, n);"), (_ONE_INDEX, f"1 * ({_ONE_INDEX})")), [[1], [2]]),
    ],
    ids=["an index", "a use of an index", "the launch stays", "only an argument of the launch changes"],
)
def test_a_changed_launch_ties_what_depends_on_a_threads_place(edits: tuple[tuple[str, str], ...], choices: list[list[int]]) -> None:
    after = _SCALED
    for old, new in edits:
        after = after.replace(old, new)
    assert _numbers(_SCALED, after) == choices


@pytest.mark.parametrize(
    ("launch", "edit"),
    [
        ("dim3 grid((n + 15) / 16);\n" + _GAP + "k<<<grid, 16>>>(x);\n", ("n + 15) / 16", "n + 31) / 32")),
        ("#define BLOCK 128\n" + _GAP + "k<<<n / BLOCK, BLOCK>>>(x);\n", ("BLOCK 128", "BLOCK 256")),
        ('// kernelopt launch: grid = ["n"], block = [64], shared = [0]\n', ("[64]", "[32]")),
        ("/* kernelopt\n[workload.k]\ngrid = [4]\n*/\n", ("[4]", "[2]")),
    ],
    ids=["a variable", "a macro", "a cell's line", "a workload block"],
)
def test_a_launch_is_changed_where_its_shape_is_said(launch: str, edit: tuple[str, str]) -> None:
    kernel = _GAP + "    int row = blockIdx.x;\n"
    assert _numbers(launch + kernel, launch.replace(*edit) + kernel.replace("blockIdx.x", "2 * blockIdx.x")) == [[1, 2]]


def test_an_exchange_between_threads_goes_with_which_thread_does_what() -> None:
    """A warp for each row: without the shuffles each lane keeps its own part of the sum."""
    before = (
        "    int r = blockIdx.x;\n"
        + _GAP
        + "    for (int c = 0; c < n; c++) s += x[c];\n"
        + _GAP
        + "    z = 0.5;\n"
        + _GAP
        + "    y = s;\n"
    )
    lanes = before.replace("blockIdx.x", "blockIdx.x / 32").replace("int c = 0", "int c = threadIdx.x % 32")
    summed = lanes.replace("    y = s", "    for (int o = 16; o; o /= 2) s += __shfl_xor_sync(~0u, s, o);\n    y = s")
    assert _numbers(before, summed.replace("0.5", "0.5f")) == [[1, 2, 4], [3]]
    barrier = before.replace("blockIdx.x", "blockIdx.x + threadIdx.x").replace("    y = s", "    __syncthreads();\n    y = s")
    assert _numbers(before, barrier) == [[1, 2]]


def test_what_stands_behind_a_comment_ties_too() -> None:
    before = "    // first\n    y = 1;\n" + _GAP + "    z = 2;\n"
    assert _numbers(before, before.replace("    // first\n    y = 1", "    // now\n    t = 1").replace("z = 2", "z = t")) == [[1, 2]]


def test_x_and_y_are_exchanged_everywhere_or_nowhere() -> None:
    before = "    int row = blockIdx.x * 16 + threadIdx.x;\n" + _GAP + "    s += as[threadIdx.x][k] * bs[k];\n" + _GAP + "    z = 0.5;\n"
    assert _numbers(before, before.replace(".x", ".y").replace("0.5", "0.5f")) == [[1, 2], [3]]


def test_the_same_number_is_replaced_everywhere_or_nowhere() -> None:
    before = "block = [1024]\n" + _GAP + "constexpr int threads = 1024;\n" + _GAP + "    z = 1024.0;\n"
    assert _numbers(before, before.replace("1024]", "128]").replace("1024;", "128;").replace("1024.0", "1024.0f")) == [[1, 2], [3]]


def test_an_array_of_another_size_goes_with_whatever_touches_it() -> None:
    before = "    float acc = 0.0f;\n" + _GAP + "    acc += x[k];\n" + _GAP + "    z = 0.5;\n"
    after = before.replace("acc = 0.0f", "acc[4] = {}").replace("acc += x", "acc[r] += x").replace("0.5", "0.5f")
    assert _numbers(before, after) == [[1, 2], [3]]


@pytest.mark.parametrize("name", ["block-shuffles", "coalescing-interchange", "shared-memory-padding", "staged-store", "thread-coarsening"])
def test_edits_of_these_techniques_are_one_choice(name: str) -> None:
    for expected in sorted((PLANS / name).glob("*.expected.cu")):
        before = expected.with_name(expected.name.replace(".expected", ""))
        assert len(_numbers(before.read_text("utf-8"), expected.read_text("utf-8"))) == 1, expected
