"""Which kernels an edit concerns: its own code, helpers, constants and launch; neighbours, comments and headers do not count."""

from __future__ import annotations

from pathlib import Path

import pytest

from assistant.engine.judge.changes import changed_kernels, edited_kernels, same_kernel
from assistant.engine.reading import read_version
from assistant.engine.request import JobRequest
from assistant.engine.source_version import with_text
from assistant.model.build import Flags

TEXT = """#include <cstdio>
constexpr int BLOCK = 128;
#define GAIN 2.0f
__device__ float scaled(float v) { return v * GAIN; }
__global__ void first(float *out, const float *in, int n) {
  int i = blockIdx.x * BLOCK + threadIdx.x;
  if (i < n) out[i] = scaled(in[i]);
}
__global__ void second(float *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] += 1.0f;
}
int main() {
  float *a = 0, *b = 0;
  first<<<4, BLOCK>>>(b, a, 512);
  second<<<4, 128>>>(b, 512);
}
"""
FIRST, SECOND = "first(float *, const float *, int)", "second(float *, int)"


def concerned(tmp_path: Path, old: str, new: str) -> tuple[frozenset[str], frozenset[str]]:
    """(edited, to be judged again) when ``old`` becomes ``new``."""
    path = tmp_path / "a.cu"
    path.write_text(TEXT)
    before = read_version(JobRequest(path, tmp_path), Flags())
    assert old in TEXT
    after = with_text(before, TEXT.replace(old, new))
    return edited_kernels(before, after), changed_kernels(before, after)


@pytest.mark.parametrize(
    ("old", "new", "kernels"),
    [
        ("out[i] += 1.0f", "out[i] += 2.0f", {SECOND}),
        ("return v * GAIN", "return GAIN * v", {FIRST}),
        ("GAIN 2.0f", "GAIN 4.0f", {FIRST}),
        ("BLOCK = 128", "BLOCK = 256", {FIRST}),
        ("second<<<4, 128>>>", "second<<<8, 64>>>", {SECOND}),
        ("#include <cstdio>\n", "#include <cstdio>\n#include <cublas_v2.h>\n", set[str]()),
        ("  if (i < n) out[i] += 1.0f;", "  // add one\n  if (i < n)\n    out[i] += 1.0f;", set[str]()),
    ],
)
def test_an_edit_concerns_the_kernels_that_rest_on_it(tmp_path: Path, old: str, new: str, kernels: set[str]) -> None:
    assert concerned(tmp_path, old, new) == (kernels, kernels)


@pytest.mark.parametrize(("old", "new"), [("*b = 0;", "*b = 0; b = a;"), ("int main() {", "static int unused = 3;\nint main() {")])
def test_other_host_code_edits_no_kernel_but_all_are_judged(tmp_path: Path, old: str, new: str) -> None:
    assert concerned(tmp_path, old, new) == (frozenset(), {FIRST, SECOND})


@pytest.mark.parametrize("new", ['#include <cstdio>\n#include "mine.cuh"\n', "#include <cstdio>\n#undef GAIN\n"])
def test_a_header_of_the_users_own_concerns_every_kernel(tmp_path: Path, new: str) -> None:
    assert concerned(tmp_path, "#include <cstdio>\n", new)[1] == {FIRST, SECOND}


def test_a_kernel_that_is_gone_is_edited(tmp_path: Path) -> None:
    assert SECOND in concerned(tmp_path, "void second(", "void renamed(")[0]


def test_a_kernel_that_is_called_otherwise_concerns_the_one_of_before(tmp_path: Path) -> None:
    path = tmp_path / "a.cu"
    path.write_text(TEXT)
    before = read_version(JobRequest(path, tmp_path), Flags())
    after = with_text(before, TEXT.replace("second", "renamed"))
    assert edited_kernels(before, after) == changed_kernels(before, after) == {SECOND}


def test_among_overloads_the_kernel_with_the_same_parameters_is_the_same(tmp_path: Path) -> None:
    path = tmp_path / "a.cu"
    path.write_text("__global__ void k(float *x) { }\n__global__ void k(int *x) { }\n__global__ void z(int *x) { }\n")
    before = read_version(JobRequest(path, tmp_path), Flags())
    after = with_text(before, "__global__ void k(int *x) { }\n__global__ void k(float *x) { }\n__global__ void a(int *x) { }\n")
    floats, integers, gone = before.parsed.kernels
    assert same_kernel(floats, before, after) == after.parsed.kernels[1]
    assert same_kernel(integers, before, after) == after.parsed.kernels[0]
    assert same_kernel(gone, before, after) is None
    other = with_text(before, "__global__ void k(double *x) { }\n__global__ void a(int *x) { }\n")
    assert same_kernel(integers, before, other) == other.parsed.kernels[0]  # its parameters were changed


def test_the_line_of_a_cell_concerns_its_kernel_as_a_launch_does(tmp_path: Path) -> None:
    path, kernel = tmp_path / "lab.ipynb.k.cu", "__global__ void k(float *x, int n) { x[threadIdx.x] = n; }\n"
    line = "// kernelopt launch: grid = [1], block = [128], shared = [0]\n"
    path.write_text(line + kernel)
    before = read_version(JobRequest(path, tmp_path), Flags())
    assert edited_kernels(before, with_text(before, line.replace("128", "64") + kernel)) == {"k(float *, int)"}
    assert not edited_kernels(before, with_text(before, f"{line}// a comment\n{kernel}"))


def test_the_line_of_a_cell_concerns_the_kernel_alone_that_it_names(tmp_path: Path) -> None:
    path, kernels = tmp_path / "lab.ipynb.k.cu", "__global__ void k(float *x) { }\n__global__ void z(int *x) { }\n"
    line = '// kernelopt launch: kernel = "z", grid = [1], block = [128], shared = [0]\n'
    path.write_text(line + kernels)
    before = read_version(JobRequest(path, tmp_path), Flags())
    assert edited_kernels(before, with_text(before, line.replace("128", "64") + kernels)) == {"z(int *)"}
    renamed = line.replace('"z"', '"k"')
    assert edited_kernels(before, with_text(before, renamed + kernels)) == {"k(float *)", "z(int *)"}
