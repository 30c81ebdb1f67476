"""The block for code as strangers write it: what a reading by words would take for something else."""

from __future__ import annotations

from pathlib import Path

import pytest

from assistant.cuda.parse import parse
from assistant.model.source import Source
from assistant.model.workload import DeclaredStep, DeclaredWorkload
from assistant.workload.blocks import find_workloads
from assistant.workload.init import write_block


def declared(text: str) -> DeclaredWorkload:
    parsed = parse(Source(Path("/k.cu"), text))
    (kernel,) = parsed.kernels
    (workload,) = find_workloads(Path("/k.cu"), write_block(text, kernel, next(iter(parsed.launch_sites), None)))
    assert isinstance(workload, DeclaredWorkload), workload
    return workload


def step_of(text: str) -> DeclaredStep:
    (step,) = declared(text).steps
    return step


def counts(text: str) -> list[str]:
    return [argument.count for argument in step_of(text).arguments if argument.generator != "scalar"]


INDEX = "int i = blockIdx.x * blockDim.x + threadIdx.x;"


@pytest.mark.parametrize(
    "index",
    [
        "size_t i = (size_t)(blockIdx.x) * (blockDim.x) + (threadIdx.x);",
        "const auto i = static_cast<std::size_t>(blockIdx.x) * blockDim.x\n    + threadIdx.x;",
        "int t = threadIdx . x; long long i = int64_t ( blockIdx.x )*blockDim /* threads */ . x+t;",
        "unsigned i { threadIdx.x + (blockDim.x * blockIdx.x) };",
    ],
)
def test_a_thread_index_is_seen_through_casts_brackets_and_spacing(index: str) -> None:
    text = f"__global__ void k(\n  float * /* out, n */ y,\n  int /*count*/ n)\n{{ {index}\n if ( ! ( i<n ) ) return; y [ i ] = 1; }}"
    assert step_of(text).grid == ("ceil(n/256)",)
    assert counts(text) == ["n"]


def test_twice_a_product_is_no_thread_index() -> None:
    text = "__global__ void k(float *y, int n) { int i = 2 * blockDim.x * blockIdx.x + threadIdx.x; y[blockIdx.x] = i; }"
    assert step_of(text).grid == ("n",), "one block for each element"


def test_a_condition_that_looks_like_a_template_holds_two_comparisons() -> None:
    text = f"__global__ void k(float *y, int n, int low) {{ {INDEX} if (i < n && i > (low)) y[i] = 1; }}"
    assert step_of(text).grid == ("ceil(n/256)",)


def test_template_arguments_are_no_comparison() -> None:
    text = (
        f"template <int N> __device__ float f(float);\n__global__ void k(float *y, int n, int m) {{ {INDEX} if (i < n) y[i] = f<m>(i); }}"
    )
    assert step_of(text).grid == ("ceil(n/256)",)


def test_members_and_elements_of_a_variables_name_do_not_set_it() -> None:
    text = f"__global__ void k(float4 *y, int n) {{ {INDEX} if (i >= n) return; float4 v; v.i = 1 << 20; y[i] = v; }}"
    assert counts(text) == ["n"]


@pytest.mark.parametrize(
    "access",
    [
        "((float4 *)out)[i] = v;",
        "*((float4 *)out + i) = v;",
        "*reinterpret_cast<float4 *>(&out[4 * i]) = v;",
        "float4 *wide { (float4 *) ( out ) }; wide[i] = v;",
        "auto wide = reinterpret_cast< float4 * >( // four at once\n out ); wide[ i ] = v;",
    ],
)
def test_wide_accesses_take_four_elements_in_every_spelling(access: str) -> None:
    text = f"__global__ void k(float *out, int n) {{ {INDEX} float4 v = make_float4(1, 2, 3, 4); if (i < n / 4) {{ {access} }} }}"
    assert counts(text) == ["n"]
    assert step_of(text).grid == ("ceil(n/1024)",)


def test_a_total_is_one_element_however_it_is_stored() -> None:
    text = f"__global__ void k(float *total, const float *in, int n) {{ {INDEX} if (i < n && in[i] > 0) *total = in[i]; }}"
    arguments = step_of(text).arguments
    assert (arguments[0].generator, arguments[0].count) == ("empty", "1")


def test_commented_out_code_and_strings_say_nothing() -> None:
    text = f"""__global__ void k(float *y, int n, int m) {{ {INDEX}
      // if (i < m) return;
      /* y[i * m] = 0; */ if (i < n) {{ y[i] = 1; printf("i < m, y[i * %d]", m); }} }}"""
    assert counts(text) == ["n"]


LAUNCHED = f"__global__ void scale(float *y, int n) {{ {INDEX} if (i < n) y[i] *= 2; }}\n"


@pytest.mark.parametrize(
    ("host", "grid", "block"),
    [
        ("#define T (1 << 7)\nvoid run(float *y, int c) { scale<<< (c + T - 1) / (T) , T >>>(y, c); }", "ceil(n/128)", "128"),
        ("void run(float *y, int c) { const int t = 64, b = (c + t - 1) / t; scale<<<b, /* threads */ t>>>(y, c); }", "ceil(n/64)", "64"),
        ("enum { T = 96 };\nvoid run(float *y, int c) { "
         "dim3 b{T}; scale<<<dim3((unsigned)((T - 1 + c) / 96)), b>>>(y, c); }",
         "ceil(n/96)", "96"),
        ("constexpr int T = 0x40;\nvoid run(float *y, int c) { "
         "scale\n<<<\n  dim3( (c + (T - 1)) / T ),\n  dim3( T )\n>>>( y, c ); }",
         "ceil(n/64)", "64"),
    ],
)  # fmt: skip
def test_a_launch_is_read_through_constants_and_variables(host: str, grid: str, block: str) -> None:
    step = step_of(LAUNCHED + host)
    assert (step.grid, step.block) == ((grid,), (block,))


def test_a_block_that_is_set_twice_is_not_carried() -> None:
    step = step_of(LAUNCHED + "void run(float *y, int c) { int t = 64; if (c > 9) t = 128; scale<<<(c + t - 1) / t, t>>>(y, c); }")
    assert (step.grid, step.block) == (("ceil(n/256)",), ("256",))


def test_a_branch_of_the_preprocessor_inside_the_arguments_leaves_the_launch_a_guess() -> None:
    host = "void run(float *y, int c) { scale<<<(c + 31) / 32, 32>>>(y,\n#ifdef HALF\n c / 2\n#else\n c\n#endif\n); }"
    assert step_of(LAUNCHED + host).block == ("256",)


def test_an_index_that_cannot_be_read_leaves_the_count_a_guess() -> None:
    text = f"__global__ void k(float *y, int n) {{ {INDEX} if (i < n) y[i +\n#if BIG\n n\n#else\n 1\n#endif\n] = 1; }}"
    parsed = parse(Source(Path("/k.cu"), text))
    assert "# guessed" in write_block(text, parsed.kernels[0], None)


def test_shared_memory_is_carried_in_the_kernels_own_names() -> None:
    text = """#define WARPS 4
    __global__ void k(float *y, int n) { extern __shared__ float s[]; y[threadIdx.x] = s[n - 1]; }
    void run(float *y, int count) { k<<<1, 128, WARPS * sizeof( float ) + (size_t)count * sizeof(double)>>>(y, count); }"""
    assert step_of(text).shared == "4 * 4 + n * 8"
