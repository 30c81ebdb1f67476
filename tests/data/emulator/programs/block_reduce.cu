// Sum, maximum and softmax as three programmers would write them.
#include <cstdio>
#include <cstdlib>
#include <cmath>
#include <cfloat>
#include <cuda_runtime.h>
template <unsigned int blockSize> __device__ void warpReduce(volatile float* s, unsigned int t) {
  if (blockSize >= 64) s[t] += s[t + 32]; if (blockSize >= 32) s[t] += s[t + 16]; if (blockSize >= 16) s[t] += s[t + 8]; if (blockSize >= 8) s[t] += s[t + 4]; if (blockSize >= 4) s[t] += s[t + 2]; if (blockSize >= 2) s[t] += s[t + 1];
}
template <unsigned int blockSize> __global__ void reduce(const float* in, float* out, unsigned int n) {
  extern __shared__ float sdata[]; unsigned int tid = threadIdx.x, i = blockIdx.x * blockSize * 2 + tid; float v = 0;
  while (i < n) { v += in[i]; if (i + blockSize < n) v += in[i + blockSize]; i += blockSize * 2 * gridDim.x; }
  sdata[tid] = v; __syncthreads();
  if (blockSize >= 256) { if (tid < 128) sdata[tid] += sdata[tid + 128]; __syncthreads(); } if (blockSize >= 128) { if (tid < 64) sdata[tid] += sdata[tid + 64]; __syncthreads(); }
  if (tid < 32) warpReduce<blockSize>(sdata, tid); if (tid == 0) out[blockIdx.x] = sdata[0];
}
__inline__ __device__ float warpMax(float v) { for (int o = warpSize / 2; o > 0; o >>= 1) v = fmaxf(v, __shfl_xor_sync(0xffffffff, v, o)); return v; }
__global__ void softmax(const float* __restrict__ x, float* __restrict__ y, const int cols) {
  __shared__ float part[32]; const float* row = x + blockIdx.x * cols; float m = -FLT_MAX; for (int c = threadIdx.x; c < cols; c += blockDim.x) m = fmaxf(m, __ldg(&row[c]));
  m = warpMax(m); int lane = threadIdx.x % 32, wid = threadIdx.x / 32; if (lane == 0) part[wid] = m; __syncthreads(); m = warpMax(lane < blockDim.x / 32 ? part[lane] : -FLT_MAX); __syncthreads();
  float s = 0.f; for (int c = threadIdx.x; c < cols; c += blockDim.x) s += __expf(row[c] - m); for (int o = 16; o; o /= 2) s += __shfl_down_sync(~0u, s, o); if (!lane) part[wid] = s; __syncthreads();
  if (threadIdx.x == 0) { float t = 0; for (int w = 0; w < blockDim.x / 32; ++w) t += part[w]; part[0] = t; } __syncthreads(); for (int c = threadIdx.x; c < cols; c += blockDim.x) y[blockIdx.x * cols + c] = __fdividef(__expf(row[c] - m), part[0]);
}
int main(void) {
  const int n = 100003; float *h = (float*)malloc(n * sizeof(float)), *d, *o, part[64]; double want = 0; for (int i = 0; i < n; ++i) { h[i] = (i % 13) * 0.25f; want += h[i]; }
  cudaMalloc((void**)&d, n * sizeof(float)); cudaMalloc((void**)&o, n * sizeof(float)); cudaMemcpy(d, h, n * sizeof(float), cudaMemcpyHostToDevice); const int threads = 256; dim3 grid(64, 1, 1), block(threads, 1, 1);
  switch (threads) { case 256: reduce<256><<<grid, block, threads * sizeof(float)>>>(d, o, n); break; case 128: reduce<128><<<grid, block, threads * sizeof(float)>>>(d, o, n); break; }
  cudaMemcpy(part, o, sizeof part, cudaMemcpyDeviceToHost); double got = 0; for (float p : part) got += p; bool ok = fabs(got - want) < 1e-3 * want;
  softmax<<<10, 128>>>(d, o, 1000); cudaMemcpy(h, o, 1000 * sizeof(float), cudaMemcpyDeviceToHost); double s = 0; for (int i = 0; i < 1000; i++) s += h[i]; ok &= fabs(s - 1) < 1e-4;
  printf("block_reduce %s\n", ok ? "PASS" : "FAIL"); free(h); return ok ? EXIT_SUCCESS : EXIT_FAILURE;
}
