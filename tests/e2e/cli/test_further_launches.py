"""What a kernel's further launches show where its largest one leaves time for few cases."""

from __future__ import annotations

import pytest

from tests.e2e.cli.harness import Cli

PROGRAM = """\
#include <cstdio>
#include <cuda_runtime.h>
__global__ void add_offsets(int *out, const int *offsets, int n)
{
BODY
}
int main()
{
    const int room = 18 << 20, n = 9000, few = 700;
    static int host[n];
    int *large, *small, *offsets;
    cudaMalloc(&large, room * sizeof(int));
    cudaMalloc(&small, few * sizeof(int));
    cudaMalloc(&offsets, 128 * sizeof(int));
    cudaMemset(large, 0, room * sizeof(int));
    for (int i = 0; i < n; i++) host[i] = i * 7 % 100;
    cudaMemcpy(large, host, sizeof(host), cudaMemcpyHostToDevice);
    cudaMemcpy(small, host, few * sizeof(int), cudaMemcpyHostToDevice);
    cudaMemcpy(offsets, host, 128 * sizeof(int), cudaMemcpyHostToDevice);
    add_offsets<<<(n + 127) / 128, THREADS>>>(large, offsets, n);
    add_offsets<<<(few + 127) / 128, THREADS>>>(small, offsets, few);
    cudaMemcpy(host, large, sizeof(host), cudaMemcpyDeviceToHost);
    printf("%d\\n", host[n - 1]);
    return 0;
}
"""
ONE = """\
    int i = blockIdx.x * 128 + threadIdx.x;
    if (i < n) out[i] += offsets[blockIdx.x];"""
FOUR = """\
    const bool aligned = reinterpret_cast<size_t>(out) % 16 == 0;
    const int first = blockIdx.x * 128 + threadIdx.x * 4;
    if (aligned && first + 4 <= n) {
        int4 v = *reinterpret_cast<int4 *>(out + first);
        const int o = offsets[blockIdx.x];
        *reinterpret_cast<int4 *>(out + first) = make_int4(v.x + o, v.y + o, v.z + o, v.w + o);
    } else {
        for (int i = first; i < n && i < first + 4; ++i) out[i] += offsets[blockIdx.x];
    }"""


@pytest.mark.parametrize(
    ("body", "outcome", "labels"),
    [(FOUR, "PASS", []), pytest.param(FOUR.replace("aligned && ", ""), "NEEDS_DECISION", ["alignment"], marks=pytest.mark.thorough)],
    ids=("asked", "not asked"),
)
def test_buffers_of_a_small_launch_are_shifted_where_the_largest_has_no_time_for_it(
    cli: Cli, body: str, outcome: str, labels: list[str]
) -> None:
    before = cli.write("one.cu", PROGRAM.replace("BODY", ONE).replace("THREADS", "128"))
    after = cli.write("four.cu", PROGRAM.replace("BODY", body).replace("THREADS", "32"))
    ended = cli.run("compare", before, after, "--json")
    verification = ended.one("comparison")["verification"]
    assert (verification["outcome"], [label for label in verification["labels"] if label == "alignment"]) == (outcome, labels)
    assert sum("n=700" in case["shape"] and case["kind"] == "shifted" for case in verification["cases"]) == 5
