"""What kind of work a kernel does, read from its text."""

from __future__ import annotations

from pathlib import Path

import pytest

from assistant.cuda.edit_likeness import added, likeness
from assistant.cuda.family import element_of, family_of, traits_of
from assistant.cuda.parse import parse
from assistant.cuda.syntax import SyntaxTree
from assistant.model.source import Source

SUITE = Path(__file__).parents[3] / "benchmarks" / "suite"


@pytest.mark.parametrize(
    ("file", "kernel", "family", "element"),
    [
        ("attention/attention_kernels.cuh", "softmax_rows", "row reduction", "float"),
        ("layernorm/layernorm.cu", "row_statistics", "row reduction", "float"),
        ("matmul.cu", "matrixMultiply", "matrix product", "float"),
        ("dot.cu", "dot_pieces", "reduction", "double"),
        ("mse.cu", "mse_kernel", "reduction", "double"),
        ("histogram.cu", "histogram_kernel", "histogram", "unsigned char"),
        ("jacobi.cu", "jacobi_step", "stencil", "float"),
        ("transpose.cu", "transpose", "transposition", "int"),
        ("relu.cu", "relu", "elementwise", "float"),
        ("fdtd.cu", "update_ey", "unknown", "unknown"),
    ],
)
def test_programs_as_strangers_write_them(file: str, kernel: str, family: str, element: str) -> None:
    text = (SUITE / file).read_text("utf-8")
    (found,) = [each for each in parse(Source(SUITE / file, text)).kernels if each.name == kernel]
    assert (family_of(SyntaxTree(text), found), element_of(found)) == (family, element)


def test_a_kernel_of_another_text_is_unknown() -> None:
    text = "__global__ void k(float *a) { a[threadIdx.x] = 0; }"
    (kernel,) = parse(Source(Path("/k.cu"), text)).kernels
    assert traits_of(text, kernel).family == "elementwise"
    assert traits_of("", kernel).family == "unknown"


def test_edits_are_alike_whatever_names_and_numbers_they_use() -> None:
    before = "void k() {\n}\n"
    tile = added(before, "void k() {\n  __shared__ float tile[32][33];  // padded\n  __syncthreads();\n}\n")
    other = added(before, "void k() {\n  __shared__ float buffer[16][17];\n  __syncthreads();\n}\n")
    unroll = added(before, "void k() {\n  #pragma unroll 4\n}\n")
    assert likeness(tile, other) == 1.0
    assert likeness(tile, unroll) == 0.0
    assert likeness(added(before, before), added(before, before)) == 0.0
