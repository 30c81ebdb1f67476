"""A kernel of C linkage in a namespace: its symbol does not say in which one."""

from __future__ import annotations

from tests.e2e.cli.harness import Cli

SCALED = """\
namespace blas {
extern "C" __global__ void scaled(float *x, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) x[i] = x[i] * 3.0f;
}
}

int main()
{
    const int n = 300;
    float *x;
    cudaMallocManaged(&x, n * sizeof(float));
    for (int i = 0; i < n; i++) x[i] = i * 0.5f;
    blas::scaled<<<(n + 127) / 128, 128>>>(x, n);
    cudaDeviceSynchronize();
    return x[4] != 6.0f;
}
"""


def test_a_kernel_of_c_linkage_in_a_namespace_is_replayed_and_compared(cli: Cli) -> None:
    before = cli.write("before.cu", SCALED)
    after = cli.write("after.cu", SCALED.replace("x[i] = x[i] * 3.0f", "x[i] *= 3.0f"))
    ended = cli.run("compare", before, after, "--device", "cpu", "--json")
    assert ended.one("comparison")["verification"]["outcome"] == "PASS", ended.said
