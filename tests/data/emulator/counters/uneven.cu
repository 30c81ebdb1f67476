// Each block does more than the one before, the first warp all of it.
__global__ void uneven(volatile float* sums) {
  if (threadIdx.x >= 32) return;
  for (int step = 0; step < 500 * (blockIdx.x + 1); ++step) sums[blockIdx.x * 32 + threadIdx.x] += 1.0f;
}

int main() {
  float* sums;
  cudaMalloc(&sums, 4 * 32 * sizeof(float));
  cudaMemset(sums, 0, 4 * 32 * sizeof(float));
  uneven<<<4, 64>>>(sums);
  return cudaDeviceSynchronize();
}
