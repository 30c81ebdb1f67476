"""The block that `kernelopt init` writes parses back and generates."""

from __future__ import annotations

from pathlib import Path

import pytest

from assistant.cuda.device_variables import device_variable_types
from assistant.cuda.parse import parse
from assistant.model.source import Source
from assistant.model.workload import DeclaredWorkload
from assistant.workload.blocks import find_workloads
from assistant.workload.draws import Draw
from assistant.workload.generate import generate
from assistant.workload.init import write_block
from assistant.workload.recordings import NewCase
from assistant.workload.signature import signature_of

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
  int r = blockIdx.y * blockDim.y + threadIdx.y, c = blockIdx.x * blockDim.x + threadIdx.x;
  if (r >= M || c >= N) return;
  float sum = 0.0f;
  for (int k = 0; k < K; k++) sum += A[r * K + k] * B[k * N + c];
  C[r * N + c] = sum;
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
    assert [a.count for a in workload.steps[0].arguments[:3]] == ["K*M", "K*N", "M*N"]
    assert workload.steps[0].grid == ("ceil(N/16)", "ceil(M/16)")


def kernel(parameters: str, body: str) -> str:
    return f"__global__ void k({parameters}) {{\n{body}\n}}\n"


IMAGE = "float *out, const float *in, int height, int width"
X = "int x = blockIdx.x * blockDim.x + threadIdx.x;"
Y = "int y = threadIdx.y + blockDim.y * blockIdx.y;"


@pytest.mark.parametrize(
    "body",
    [
        f"{X} {Y} if (x < width && y < height) out[y * width + x] = in[y * width + x];",
        f"{X} {Y} if (x >= width || y >= height) return; out[x * height + y] = in[y * width + x];",
        f"{X} {Y} out[y * width + x] = in[y * width + x];  // unguarded",
        f"{X} {Y} if (y < height) {{ const float *row = in + y * width; if (x < width) out[y * width + x] = row[x]; }}",
    ],
)
def test_each_axis_runs_over_its_own_size(body: str) -> None:
    _, workload = written(kernel(IMAGE, body))
    (step,) = workload.steps
    assert step.grid == ("ceil(width/16)", "ceil(height/16)")
    assert [a.count for a in step.arguments[:2]] == ["height*width", "height*width"]
    assert all(len({value for _, value in shape.sizes}) == 2 for shape in workload.shapes), "a square hides a swap"


@pytest.mark.parametrize(
    ("parameters", "body", "grid", "counts"),
    [
        ("const float *a, float *r, int n",
         f"{X} if (x < n) {{ float s = 0; for (int j = 0; j < n; j++) s += a[x * n + j]; r[x] = s; }}",
         "ceil(n/256)", ["n*n", "n"]),
        ("const float *a, float *r, int rows, int cols",
         "int row = blockIdx.x; for (int j = threadIdx.x; j < cols; j += blockDim.x) atomicAdd(&r[row], a[row * cols + j]);",
         "rows", ["cols*rows", "rows"]),
        ("const float *in, float *out, int n", f"{X} if (x < n - 2) out[x] = in[x] + in[x + 2];",
         "ceil((n - 2)/256)", ["n", "n"]),
        ("const float *in, float *out, int n, int r",
         f"{X} if (x >= n) return; float s = 0; for (int k = -r; k <= r; k++) s += in[min(max(x + k, 0), n - 1)]; out[x] = s;",
         "ceil(n/256)", ["n", "n"]),
        ("const float *in, float *out, int n",
         f"{X} if (x * 4 < n) reinterpret_cast<float4 *>(out)[x] = reinterpret_cast<const float4 *>(in)[x];",
         "ceil(n/1024)", ["n", "n"]),
        ("const int *keys, int *bins, int n, int bin_count", f"{X} if (x < n) atomicAdd(&bins[keys[x]], 1);",
         "ceil(n/256)", ["n", "bin_count"]),
    ],
)  # fmt: skip
def test_arrays_are_as_long_as_their_indices_reach(parameters: str, body: str, grid: str, counts: list[str]) -> None:
    _, workload = written(kernel(parameters, body))
    (step,) = workload.steps
    assert step.grid == (grid,)
    assert [a.count for a in step.arguments[:2]] == counts


def test_a_loop_over_all_elements_keeps_the_work_small() -> None:
    body = f"{X} if (x < n) {{ float s = 0; for (int j = 0; j < n; j++) s += a[x * n + j]; r[x] = s; }}"
    _, workload = written(kernel("const float *a, float *r, int n", body))
    assert all(value**2 <= 1 << 22 for shape in workload.shapes for _, value in shape.sizes)


def test_constants_of_main_are_not_mistaken_for_parameters() -> None:
    main = "int main() { const int width = 500; const int height = 300; }\n"
    _, workload = written(kernel(IMAGE, f"{X} {Y} if (x < width && y < height) out[y * width + x] = in[y * width + x];") + main)
    assert workload.steps[0].arguments[0].count == "height*width"


def test_iterations_and_offsets_are_no_sizes_of_arrays() -> None:
    body = f"{X} if (x < n) for (int s = 0; s < steps; s++) v[x] += seed;"
    _, workload = written(kernel("float *v, int n, int steps, int seed", body))
    assert dict(workload.shapes[0].sizes) == {"n": 1 << 18, "steps": 16}
    assert workload.steps[0].arguments[3].parameters == ("3",)


def test_a_factor_of_a_template_type_is_not_zero() -> None:
    """A kernel that multiplies by 0 computes nothing that could be judged."""
    body = "int i = blockIdx.x * blockDim.x + threadIdx.x;\n  if (i < n) v[i] = v[i] * (T)gain;"
    _, workload = written(f"template <typename T> __global__ void k(T *v, int n, T gain) {{\n{body}\n}}\n")
    assert workload.steps[0].arguments[2].parameters == ("2.0",)


@pytest.mark.parametrize(
    ("kind", "argument"),
    [("Reduction", "Reduction{}"), ("ops::Kind", "ops::Kind{}"), ("bool", "1"), ("unsigned", "1"), ("size_t", "1"), ("class", "float")],
)
def test_a_template_argument_is_a_value_of_its_type(kind: str, argument: str) -> None:
    block, _ = written(f"template <{kind} R> __global__ void k(float *v, int n) {{ v[threadIdx.x] = n; }}\n")
    assert f'kernel = "k<{argument}>"' in block


def test_template_arguments_are_bound() -> None:
    (kernel,) = parse(Source(Path("/k.cu"), TRANSPOSE)).kernels
    signature = signature_of(kernel, "tr<double, 2>")
    assert signature.symbol == "tr<double, 2>(double*, double const*, int)"
    assert signature_of(kernel, "tr<half>").parameters[0].element_type == "half"


def test_a_symbol_says_what_its_pointers_point_to_as_a_demangler_does() -> None:
    (kernel,) = parse(Source(Path("/k.cu"), "__global__ void k(volatile int *a, const volatile float *b, volatile int c) {}")).kernels
    assert signature_of(kernel, "k").symbol == "k(int volatile*, float const volatile*, int)"


def test_device_variables_are_found() -> None:
    text = "__constant__ float lut[256];\n__device__ unsigned int counter = 0;\n__device__ float f(float x) { return x; }"
    assert device_variable_types(text) == {"lut": "float", "counter": "unsigned int"}
