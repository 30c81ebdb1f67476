"""A program whose function ``step`` launches a kernel and copies, which an edit leaves out: its gain is none of a kernel's."""

from __future__ import annotations

__all__ = ["COPIED", "LEFT_OUT", "SWAPPED"]

COPIED = """#include <cstdio>
#include <utility>
__global__ void turn(const int *from, int *to) { to[threadIdx.x] = from[blockDim.x - 1 - threadIdx.x]; }
static void step(int *&now, int *&next) {
  turn<<<1, 64>>>(now, next);
  cudaMemcpy(now, next, 256, cudaMemcpyDeviceToDevice);
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
LEFT_OUT = "cudaMemcpy(now, next, 256, cudaMemcpyDeviceToDevice);"
SWAPPED = COPIED.replace(LEFT_OUT, "std::swap(now, next);")
