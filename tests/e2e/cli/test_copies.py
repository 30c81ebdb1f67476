"""An edit of what a program copies, through the command: the speed is that of the part that was asked for."""

from __future__ import annotations

from tests.e2e.cli.harness import Cli

STEPS = """#include <cstdio>
#include <utility>
__global__ void turn(const int *from, int *to) { to[threadIdx.x] = from[blockDim.x - 1 - threadIdx.x]; }
static void step(int *&now, int *&next) {
  turn<<<1, 64>>>(now, next);
  COPY
}
int main() {
  int host[64];
  for (int i = 0; i < 64; i++) host[i] = i * i % 19;
  int *now, *next;
  cudaMalloc(&now, 256);
  cudaMalloc(&next, 256);
  cudaMemcpy(now, host, 256, cudaMemcpyHostToDevice);
  for (int s = 0; s < 3; s++) step(now, next);
  cudaMemcpy(host, now, 256, cudaMemcpyDeviceToHost);
  std::printf("%d %d\\n", host[0], host[63]);
}
"""


def test_a_copy_that_is_left_out_counts_in_the_function_that_made_it(cli: Cli) -> None:
    copied = cli.write("copied.cu", STEPS.replace("COPY", "cudaMemcpy(now, next, 256, cudaMemcpyDeviceToDevice);"))
    swapped = cli.write("swapped.cu", STEPS.replace("COPY", "std::swap(now, next);"))
    ended = cli.run("compare", copied, swapped, "--device", "cpu", "--json", "--region", "step")
    of_kernel, of_step = ended.all("comparison")
    assert (ended.code, of_kernel["speed"], of_step["kernel"]) == (0, None, None), ended.said
    assert of_step["verification"]["outcome"] == "PASS"
    speed = of_step["speed"]
    assert speed["outcome"] == "PREDICTED" and speed["ratio"] > 1.3
    assert speed["caveats"][:2] == ["a call of step", "of 1 launch and 1 copy on the GPU of A and 1 launch of B as one sequence, 3 times"]
    assert [case["shape"] for case in speed["cases"]] == ["step"]
