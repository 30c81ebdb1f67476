"""A parameter that the edit no longer reads is named; sizes that reach the kernel another way are left alone."""

from __future__ import annotations

from pathlib import Path

import pytest

from assistant.cuda.parse import parse
from assistant.model.source import ParsedSource, Source
from assistant.model.verification import Outcome
from assistant.verify.parameters import find_unread_parameters

TEXT = """constexpr int RADIUS = 20;
__device__ bool inside(int i, int limit) { return i < limit; }
__global__ void k(float *out, const float *in, int n, int pitch, int radius) {
  int i = blockIdx.y * pitch + threadIdx.x;
  if (i < n) out[i] = in[i] * radius;
}
int main() {
  int rows = 8, cols = 512;
  k<<<dim3(1, 8), 512>>>(0, 0, rows * cols, cols, RADIUS);
}
"""
RECORDED = {"k": {"n": frozenset({4096}), "pitch": frozenset({512}), "radius": frozenset({20})}}


def source(text: str) -> ParsedSource:
    return parse(Source(Path("/k.cu"), text))


def found(old: str, new: str) -> list[tuple[str, Outcome, str]]:
    """(code, outcome, parameter) of every finding when ``old`` becomes ``new``."""
    assert old in TEXT
    findings = find_unread_parameters(source(TEXT), source(TEXT.replace(old, new)), RECORDED)
    return [(finding.code, finding.outcome, finding.message.split()[0]) for finding in findings]


@pytest.mark.parametrize(
    ("old", "new", "name"),
    [
        ("i < n", "i < 4096", "n"),
        ("i < n", "i < 0x1000", "n"),
        ("i < n", "i < 64 * 64", "n"),
        ("i < n", "i < (1 << 12)", "n"),
        ("i < n", "inside(i, 4096u)", "n"),
        ("blockIdx.y * pitch", "blockIdx.y * 512", "pitch"),
        ("  if (i < n)", "  (void)n;\n  if (i < 4096)", "n"),
        ("  if (i < n)", "  n = 4096;\n  if (i < 4096)", "n"),
        ("constexpr int RADIUS", "#define SIZE 4096\nconstexpr int RADIUS", ""),
    ],
)
def test_a_recorded_value_in_place_of_its_parameter_fails(old: str, new: str, name: str) -> None:
    assert found(old, new) == ([("hard_coded", Outcome.FAIL, name)] if name else [])


@pytest.mark.parametrize(("old", "new"), [("if (i < n) ", ""), ("i < n", "i < gridDim.y * 512 / 1")])
def test_a_parameter_that_nothing_replaces_is_an_assumption(old: str, new: str) -> None:
    assert found(old, new) == [("assumption", Outcome.NEEDS_DECISION, "n")]


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("i < n", "inside(i, n)"),
        ("i < n", "n > i"),
        ("in[i] * radius", "in[i] * RADIUS"),
        ("int i = blockIdx", "int limit = n - 1;\n  int i = blockIdx"),
    ],
)
def test_a_parameter_that_is_still_known_is_left_alone(old: str, new: str) -> None:
    assert found(old, new) == []


def test_another_interface_is_for_the_cases_to_judge() -> None:
    told = (
        TEXT.replace("int n, int pitch", "const int *starts, int pitch")
        .replace("i < n", "i < starts[1]")
        .replace("rows * cols, cols", "0, cols")
    )
    assert find_unread_parameters(source(TEXT), source(told), RECORDED) == ()
    left_out = TEXT.replace("int n, int pitch", "int pitch").replace("if (i < n) ", "").replace("rows * cols, cols", "cols")
    assert [finding.code for finding in find_unread_parameters(source(TEXT), source(left_out), RECORDED)] == ["assumption"]
    fixed = told.replace("i < starts[1]", "i < 4096")
    assert [finding.code for finding in find_unread_parameters(source(TEXT), source(fixed), RECORDED)] == ["hard_coded"]


def test_a_renamed_or_packed_parameter_is_still_read() -> None:
    assert found("int n, int pitch, int radius) {", "int size, int pitch, int radius) {\n  const int n = size;") == []
    packed = TEXT.replace("constexpr", "struct Shape { int n, pitch, radius; };\nconstexpr")
    packed = packed.replace("int n, int pitch, int radius", "Shape s").replace("i < n", "i < s.n")
    packed = packed.replace("* pitch", "* s.pitch").replace("* radius", "* s.radius")
    assert find_unread_parameters(source(TEXT), source(packed), RECORDED) == ()


@pytest.mark.parametrize(("launched", "is_found"), [("k<20>", False), ("k<RADIUS>", False), ("k<12>", True), ("k<40>", True)])
def test_a_template_parameter_is_what_the_original_passed(launched: str, is_found: bool) -> None:
    passed = "RADIUS" if "RADIUS" in launched else "20"
    before = TEXT.replace("cols, RADIUS)", f"cols, {passed})")
    after = before.replace("__global__", "template <int radius> __global__").replace(", int radius)", ")")
    after = after.replace("  k<<<", f"  {launched}<<<").replace(f"cols, {passed})", "cols)")
    names = [finding.message.split()[0] for finding in find_unread_parameters(source(before), source(after), RECORDED)]
    assert names == (["radius"] if is_found else [])


_BY_ROWS = "__global__ void k(float *out, int rows) { int r = blockIdx.x * 32 + threadIdx.x; if (r < rows) out[r] = 1; }\n"
_BY_BLOCKS = "__global__ void k(float *out) { if (threadIdx.x == 0) out[blockIdx.x] = 1; }\n"


@pytest.mark.parametrize(("grid", "count"), [("rows", 0), ("dim3(rows, 1)", 0), ("(rows + 31) / 32", 1), ("200", 1)])
def test_a_size_that_is_the_number_of_blocks_is_known_by_the_grid(grid: str, count: int) -> None:
    host = "int main() { int rows = 200; k<<<GRID, 32>>>(0ARGUMENTS); }"
    before = source(_BY_ROWS + host.replace("GRID", "(rows + 31) / 32").replace("ARGUMENTS", ", rows"))
    after = source(_BY_BLOCKS + host.replace("GRID", grid).replace("ARGUMENTS", ""))
    assert len(find_unread_parameters(before, after, {"k": {"rows": frozenset({200})}})) == count
