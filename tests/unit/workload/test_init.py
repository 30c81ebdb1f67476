"""The block that `kernelopt init` writes parses back and generates."""

from __future__ import annotations

from pathlib import Path

import pytest

from assistant.model.source import Source
from assistant.model.workload import DeclaredWorkload
from assistant.source.parse import parse
from assistant.workload.blocks import find_workloads
from assistant.workload.draws import Draw
from assistant.workload.generate import generate
from assistant.workload.init import write_block
from assistant.workload.recordings import NewCase
from assistant.workload.signature import device_variable_types, signature_of

SAXPY = """
__global__ void saxpy(int n, float a, const float *x, float *y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = a * x[i] + y[i];
}
void run(int count, float a, float *x, float *y) { saxpy<<<(count + 127) / 128, 128>>>(count, a, x, y); }
"""
TRANSPOSE = """
template <typename T, int PAD = 1> __global__ void tr(T *out, const T *in, int n) {
  __shared__ T t[32][32 + PAD];
  int x = blockIdx.x * 32 + threadIdx.x;
  out[blockIdx.y * n + x] = in[x];
}
void run(float *o, float *i, int n) {
  dim3 block(32, 8);
  tr<float><<<dim3(n / 32, n / 32), block, 4 * sizeof(float)>>>(o, i, n);
}
"""
MATMUL = """
namespace la {
__global__ void mm(const float *A, const float *B, float *C, int M, int N, int K) {
  int r = blockIdx.y;
  if (r < M && threadIdx.x < N && K) C[r * N] = A[0] * B[0];
}
}
"""


def written(text: str) -> tuple[str, DeclaredWorkload]:
    parsed = parse(Source(Path("/k.cu"), text))
    (kernel,) = parsed.kernels
    sites = parsed.launch_sites_of(kernel)
    block = write_block(text, kernel, sites[0] if sites else None)
    (workload,) = find_workloads(Path("/k.cu"), block)
    assert isinstance(workload, DeclaredWorkload), workload
    return block, workload


@pytest.mark.parametrize("text", [SAXPY, TRANSPOSE, MATMUL])
def test_the_block_generates_its_smallest_shape(text: str) -> None:
    _, workload = written(text)
    (kernel,) = parse(Source(Path("/k.cu"), text)).kernels
    (step,) = workload.steps
    shape = min(workload.shapes, key=lambda s: s.sizes)
    case = generate(workload, shape, {step.kernel: signature_of(kernel, step.kernel)}, Draw(1))
    assert isinstance(case, NewCase), case


def test_the_launch_site_gives_grid_and_block() -> None:
    _, workload = written(SAXPY)
    assert workload.steps[0].grid == ("ceil(n/128)",) and workload.steps[0].block == ("128",)
    assert [a.generator for a in workload.steps[0].arguments] == ["scalar", "scalar", "randn", "randn"]


def test_a_dim3_variable_and_sizeof_are_read() -> None:
    block, workload = written(TRANSPOSE)
    assert workload.steps[0].grid == ("ceil(n/32)", "ceil(n/32)") and workload.steps[0].block == ("32", "8")
    assert workload.steps[0].shared == "4 * 4"
    assert workload.steps[0].arguments[0].generator == "empty"
    assert "multiple_of = 32" in block


def test_a_matrix_product_has_three_sizes() -> None:
    _, workload = written(MATMUL)
    assert workload.steps[0].kernel == "la::mm"
    assert [a.count for a in workload.steps[0].arguments[:3]] == ["M*K", "K*N", "M*N"]


def test_template_arguments_are_bound() -> None:
    (kernel,) = parse(Source(Path("/k.cu"), TRANSPOSE)).kernels
    signature = signature_of(kernel, "tr<double, 2>")
    assert signature.symbol == "tr<double, 2>(double*, double const*, int)"
    assert signature_of(kernel, "tr<half>").parameters[0].element_type == "half"


def test_device_variables_are_found() -> None:
    text = "__constant__ float lut[256];\n__device__ unsigned int counter = 0;\n__device__ float f(float x) { return x; }"
    assert device_variable_types(text) == {"lut": "float", "counter": "unsigned int"}
