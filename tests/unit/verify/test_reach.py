"""What a kernel's meaning rests on: helpers, constants, types and macros that it names, and nothing else."""

from __future__ import annotations

import pytest

from assistant.cuda.code_text import uncommented
from assistant.cuda.items import ItemKind, items
from assistant.verify.reach import only, reach

TEXT = r"""#include <cstdio>
#include "mine.cuh"
#define TILE 32
#define SQ(x) ((x) * \
  (x))
namespace n {
constexpr int A = 4, B = 8;
struct Pair { float x; __device__ float first() const { return x; } };
__device__ float operator+(Pair a, Pair b) { return a.x + b.x; }
template <typename T, int N = (3 > 2)> __device__ T twice(T a) { return SQ(a) * B; }
extern "C" __global__ void __launch_bounds__(128, 2) k(float *o, Pair p) { o[0] = twice<float>(p.first()); }
}  // namespace n
__constant__ float table[3] = {1, 2, 3};
template <> __global__ void special<3>(float *o) { o[0] = table[1]; printf("TILE }"); }
static int rounded(int n = 3) { return n / TILE; }
int main() { return rounded(); }
"""


def reached(*names: str) -> set[str]:
    found = items(uncommented(TEXT))
    assert found is not None
    return {name for item in reach(found, names) for name in item.names}


def test_every_definition_has_its_kind() -> None:
    found = items(uncommented(TEXT))
    assert found is not None
    kinds = [(item.kind, name) for item in found for name in sorted(item.names)]
    assert (ItemKind.KERNEL, "k") in kinds and (ItemKind.KERNEL, "special") in kinds
    assert (ItemKind.DEVICE, "twice") in kinds and (ItemKind.HOST, "rounded") in kinds
    assert (ItemKind.MACRO, "SQ") in kinds and (ItemKind.DECLARATION, "table") in kinds


def test_helpers_macros_constants_and_types_are_reached_and_nothing_else() -> None:
    assert reached("k") >= {"k", "twice", "SQ", "B", "Pair"}
    assert not reached("k") & {"table", "special", "rounded", "main", "TILE"}
    assert "table" in reached("special") and "TILE" not in reached("special")


def test_an_operator_works_without_being_named() -> None:
    found = items(uncommented(TEXT))
    assert found is not None
    assert any("operator+" in item.text for item in reach(found, {"special"}))


def test_what_is_kept_stands_where_it_stood() -> None:
    found = items(TEXT)
    assert found is not None
    kept = only(TEXT, reach(found, {"special"}))
    assert len(kept) == len(TEXT) and kept.split("\n")[12] == TEXT.split("\n")[12] and not kept.split("\n")[10].strip()


@pytest.mark.parametrize("text", ["__global__ void k() { if (1) {", "int a[] = {1, 2;\n"])
def test_code_with_open_brackets_is_not_cut(text: str) -> None:
    assert items(text) is None
