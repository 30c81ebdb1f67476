"""A branch of B alone that no case reached is named; edge cases, remainders, guards that cases run, and our own techniques are not."""

from __future__ import annotations

from pathlib import Path

import pytest

from assistant.cuda.parse import parse_with_trees
from assistant.model.elements import parse_element_type
from assistant.model.launch import Dim3
from assistant.model.source import Kernel, Source
from assistant.model.verification import Outcome
from assistant.verify.untried_choices import KernelText, TriedLaunch, find_untried

DATA = Path(__file__).parents[2] / "data"
TEXT = """#define TILE 64
constexpr int KNOWN = 300000;
__device__ __forceinline__ float twice(float x) { return 2.0f * x; }
__global__ void k(float *out, const float *in, int n, float w) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  out[i] = w * twice(in[i]);
}
"""
SIZES = (1000, 1409, 2002)


def kernels(text: str) -> list[KernelText]:
    parsed, (tree, *_) = parse_with_trees(Source(Path("/k.cu"), text))
    return [KernelText(tree, kernel) for kernel in parsed.kernels]


def launches(kernel: Kernel, sizes: tuple[int, ...] = SIZES, block: int = 256) -> list[TriedLaunch]:
    """With every integer equal to the size, and every float 0.2."""
    passed = [(p.name, parse_element_type(p.type)) for p in kernel.parameters if not p.is_pointer]
    return [
        TriedLaunch(
            {name: 0.2 if element is not None and element.is_floating else size for name, element in passed},
            Dim3(-(-size // block), 4, 1),
            Dim3(block, 1, 1),
        )
        for size in sizes
    ]


def named(new: str, old: str = "  if (i >= n) return;\n", sizes: tuple[int, ...] = SIZES, before: str = TEXT) -> list[str]:
    """What is said of the kernel with ``new`` in the place of ``old``."""
    assert old in before
    (kernel,) = kernels(before.replace(old, new))
    found = find_untried(kernels(before), kernel, launches(kernel.kernel, sizes))
    assert all((each.code, each.outcome, each.kernel) == ("assumption", Outcome.NEEDS_DECISION, "k") for each in found)
    return [f"line {each.line} {each.message}" for each in found]


@pytest.mark.parametrize(
    ("condition", "where"),
    [
        ("n > 300001", "n > 300001"),
        ("300001 < n", "300001 < n"),
        ("n < 100", "n < 100"),
        ("n >= 100", "not (n >= 100)"),
        ("gridDim.x > 2000", "gridDim.x > 2000"),
        ("blockIdx.x * blockDim.x >= 65536u * 8u", "blockIdx.x * blockDim.x >= 65536u * 8u"),
        ("i >= (1 << 20)", "i >= (1 << 20)"),
        ("n - 300001 > 0", "n - 300001 > 0"),
        ("(n >> 20) != 0", "(n >> 20) != 0"),
        ("blockIdx.x == 777", "blockIdx.x == 777"),
        ("n == 1777", "n == 1777"),
        ("w > 0.5f", "w > 0.5f"),
        ("w < 1e-3f", "w < 1e-3f"),
    ],
)
def test_a_branch_that_no_case_reached_is_named_with_its_line(condition: str, where: str) -> None:
    message = f"line 6 does something else where {where}, which no case reached"
    assert named(f"  if ({condition}) return; if (i >= n) return;\n") == [message]
    assert named(f"  const bool skip = {condition};\n  if (i >= n || skip) return;\n") == [message]


@pytest.mark.parametrize("size", ["& 0x3ffff", "% 262144", "% (1u << 18)"])
def test_a_remainder_that_changes_nothing_at_the_sizes_tried_is_named(size: str) -> None:
    (said,) = named(f"int i = (blockIdx.x * blockDim.x + threadIdx.x) {size};", "int i = blockIdx.x * blockDim.x + threadIdx.x;")
    assert said.startswith(f"line 5 (blockIdx.x * blockDim.x + threadIdx.x) {size} changes nothing in every case that was tried")


def test_a_limit_that_changes_nothing_at_the_sizes_tried_is_named() -> None:
    (said,) = named("  if (i >= min(n, 300001)) return;\n")
    assert said.startswith("line 6 min(n, 300001) changes nothing")


@pytest.mark.parametrize(
    "guard",
    [
        "if (n == 0 || i >= n) return;",
        "if (n < 4 || i >= n) return;",
        "if (n % 32 == 0 && i < n) { out[i] = w * twice(in[i]); return; } if (i >= n) return;",
        "if ((n & 31) != 0 && i >= n) return;",
        "if (i + TILE > n && i >= n) return;",
        "if (threadIdx.x < 300 && i >= n) return;",
        "if (blockDim.x >= 512) __syncthreads(); if (i >= n) return;",
        "if (i >= 64) __syncwarp(); if (i >= n) return;",
        "if (n > 1200) __syncwarp(); if (i >= n) return;",
        "if (w == 0.0f || w == 1.0f || i >= n) return;",
        "if (i >= n || in[i] > 300001.0f) return;",
        "const int row = i / 4096, column = i % 4096; if (row * 4096 + column >= n) return;",
        "const int row = blockIdx.x >> 6, column = blockIdx.x & 63; if (64 * row + column < 0 || i >= n) return;",
        "for (int t = 0; t < 4096; t += TILE) __syncwarp(); if (i >= n) return;",
        "if (n > KNOWN || i >= n) return;",
        "if (threadIdx.x % 32 == 40 || i >= n) return;",
    ],
)
def test_edge_cases_remainders_and_what_cases_run_are_left_alone(guard: str) -> None:
    assert named(f"  {guard}\n") == []


def test_what_the_original_asks_as_well_is_left_alone() -> None:
    before = TEXT.replace("if (i >= n)", "if (n > 300001 || i >= n)")
    assert named("if (4 * n > 300001 || i >= n)", "if (n > 300001 || i >= n)", before=before) == []


def test_a_size_on_the_other_side_says_that_the_branch_was_run() -> None:
    edit = "  if (n > 300001) return; if (i >= n) return;\n"
    assert len(named(edit)) == 1
    assert named(edit, sizes=(*SIZES, 400000)) == []


def test_of_a_launch_of_some_blocks_only_those_count() -> None:
    (kernel,) = kernels(TEXT.replace("  if (i >= n)", "  if (blockIdx.x > 900) return;\n  if (i >= n)"))
    whole = TriedLaunch({"n": 256000, "w": 0.2}, Dim3(1000), Dim3(256))
    assert find_untried(kernels(TEXT), kernel, [whole]) == ()
    part = TriedLaunch(whole.values, whole.grid, whole.block, blocks=(0, 1, 17))
    assert len(find_untried(kernels(TEXT), kernel, [part])) == 1


def test_a_kernel_that_was_not_run_says_nothing() -> None:
    (kernel,) = kernels(TEXT.replace("if (i >= n)", "if (n > 300001 || i >= n)"))
    assert find_untried(kernels(TEXT), kernel, []) == ()


def pairs() -> list[tuple[Path, Path]]:
    made = [(path.with_name(f"{path.name.split('.expected')[0]}.cu"), path) for path in sorted((DATA / "plan").glob("*/*.expected*.cu"))]
    honest = [(path.with_name(path.name.replace(".after.", ".before.")), path) for path in sorted((DATA / "honest").glob("*.after.cu"))]
    return made + honest


def test_no_edit_of_our_own_techniques_is_named() -> None:
    assert len(pairs()) > 200
    for before, after in pairs():
        originals = kernels(before.read_text("utf-8"))
        for kernel in kernels(after.read_text("utf-8")):
            assert find_untried(originals, kernel, launches(kernel.kernel)) == (), after
