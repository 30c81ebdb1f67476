// kernel=largest line=13 finding=KO115
#include <cstdio>

__global__ void largest(const float* in, float* out, int n) {
  __shared__ float cache[8];
  const int t = threadIdx.x;
  float best = -1e30f;
  for (int i = blockIdx.x * 256 + t; i < n; i += 256 * gridDim.x) {
    best = fmaxf(best, in[i]);
  }
  for (int offset = 16; offset > 0; offset /= 2)
    best = fmaxf(best, __shfl_down_sync(0xffffffff, best, offset));
  if (t % 32 == 0)
    cache[t / 32] = best;
  __syncthreads();
  if (t == 0) {
    for (int warp = 1; warp < 8; warp++)
      best = fmaxf(best, cache[warp]);
    // one value a block
    out[blockIdx.x] = best;
  }
}

int main() {
    const int n = 20001;
    float *in, *h = new float[n];
    for (int i = 0; i < n; i++) h[i] = (i * 37 % 101) * 0.01f;
    cudaMalloc(&in, n * sizeof(float));
    cudaMemcpy(in, h, n * sizeof(float), cudaMemcpyHostToDevice);
    const int blocks = (n + 255) / 256;
    float *out, *sums = new float[blocks];
    cudaMalloc(&out, blocks * sizeof(float));
    largest<<<blocks, 256>>>(in, out, n);
    cudaMemcpy(sums, out, blocks * sizeof(float), cudaMemcpyDeviceToHost);
    double total = 0;
    for (int b = 0; b < blocks; b++) total += sums[b];
    printf("%.2f\n", total);
    return 0;
}
