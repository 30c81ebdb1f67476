"""Constructs that stopped programs of strangers, in the order of how many they stopped. Each has a test:

kernels in an included header or `.cu`, `main()` in another unit, text that is not UTF-8: `test_programs` (header_kernel, cu_includes_cu,
three_units, old_encoding); 8-bit floats: `emulator_front/test_build` (fp8.cu); names of CUDA's in a host source, an undefined host
function: `emulator_front/test_build`; a table of 1 MB: `emulator_front/test_translation`; lock-step code, the emulator's exit status:
`emulator_core/test_problems`, `test_failing_programs`; launches of minutes: `test_sampled_runs`; libraries of CUDA's in `main()`:
`test_failing_programs`. Here: kernels with parameter packs.
"""

from __future__ import annotations

from tests.e2e.cli.harness import Cli

VARIADIC = """template <class T> __device__ T total(T a) { return a; }
template <class T, class... Ts> __device__ T total(T a, Ts... rest) { return a + total(rest...); }
template <class... Ts> __global__ void fill(float *out, int n, const Ts... xs)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = total(xs...);
}
int main()
{
    float *out, first;
    cudaMalloc(&out, 512 * sizeof(float));
    fill<<<2, 256>>>(out, 512, 1.0f, 2.0f, 3.0f);
    cudaMemcpy(&first, out, sizeof first, cudaMemcpyDeviceToHost);
    return first == 6 ? 0 : 1;
}
"""


def test_a_kernel_with_a_parameter_pack_is_launched_counted_and_checked(cli: Cli) -> None:
    path = cli.write("variadic.cu", VARIADIC)
    checked = cli.run("check", path, "--json")
    assert (checked.code, checked.one("check")["launch_count"]) == (0, 1), checked.said
    (profile,) = cli.run("profile", path, "--json").all("profile")
    assert profile["instance"].startswith("void fill<float, float, float>") or profile["instance"].startswith("fill<float, float, float>")
    assert [(line["line"], line["op"], line["sectors"]) for line in profile["lines"]] == [(6, "global store", 64)]


MACROS = """#define KERNEL(x) x##_kernel
#define MAKE(NAME, OP) \\
    __global__ void NAME##_all(float *x, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) x[i] = x[i] OP 2; } \\
    void run_##NAME(float *x, int n) { NAME##_all<<<(n + 127) / 128, 128>>>(x, n); }
MAKE(add, +)
MAKE(mul, *)
__global__ void KERNEL(sum)(float *x, int n) { if (threadIdx.x < n) x[threadIdx.x] += 1; }
int main()
{
    float *x;
    cudaMalloc(&x, 4096);
    cudaMemset(x, 0, 4096);
    run_add(x, 1000);
    run_mul(x, 1000);
    KERNEL(sum)<<<1, 128>>>(x, 128);
    return cudaDeviceSynchronize();
}
"""


def test_kernels_that_macros_make_are_listed_counted_and_checked(cli: Cli) -> None:
    path = cli.write("macros.cu", MACROS)
    lines = {"add_all(float *, int)": 5, "mul_all(float *, int)": 6, "sum_kernel(float *, int)": 7}
    inspected = cli.run("inspect", path, "--json")
    assert {kernel["kernel"]: kernel["line"] for kernel in inspected.all("kernel")} == lines, inspected.said
    profiles = cli.run("profile", path, "--json").all("profile")
    assert {profile["kernel"]: profile["lines"][0]["line"] for profile in profiles} == lines
    assert {check["kernel"]: check["launch_count"] for check in cli.run("check", path, "--json").all("check")} == dict.fromkeys(lines, 1)
