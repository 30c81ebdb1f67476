// Asynchronous copies to shared memory, double buffered, with the pipeline primitives.
#include <cstdio>
#include <cuda_pipeline.h>
#include <cuda_pipeline_primitives.h>
#include <nvtx3/nvToolsExt.h>
#include <cuda_profiler_api.h>
__global__ void stream(const float4* in, float4* out, int tiles) {
  __shared__ float4 buffer[2][64]; int t = threadIdx.x; __pipeline_memcpy_async(&buffer[0][t], &in[t], sizeof(float4)); __pipeline_commit();
  for (int k = 0; k < tiles; k++) { if (k + 1 < tiles) { __pipeline_memcpy_async(&buffer[(k + 1) & 1][t], &in[(k + 1) * 64 + t], sizeof(float4)); } __pipeline_commit(); __pipeline_wait_prior(1); __syncthreads(); float4 v = buffer[k & 1][63 - t]; v.x += 1; __stcs(&out[k * 64 + t], v); __syncthreads(); }
}
__global__ void partial(const float* in, float* out) { __shared__ float s[32]; __pipeline_memcpy_async(&s[threadIdx.x], in + threadIdx.x, 4, threadIdx.x < 30 ? 0 : 4); __pipeline_commit(); __pipeline_wait_prior(0); __syncthreads(); out[threadIdx.x] = s[31 - threadIdx.x] + __ldcs(in) + __ldg(in + 1) + __ldcg(&in[2]); }
int main() {
  nvtxRangePushA("all"); cudaProfilerStart(); const int tiles = 5; float h[tiles * 64 * 4]; for (int i = 0; i < tiles * 256; i++) h[i] = i; float *a, *b; cudaMalloc(&a, sizeof h); cudaMalloc(&b, sizeof h); cudaMemcpy(a, h, sizeof h, cudaMemcpyHostToDevice); stream<<<1, 64>>>((float4*)a, (float4*)b, tiles); cudaMemcpy(h, b, sizeof h, cudaMemcpyDeviceToHost); bool ok = h[0] == 253 && h[1] == 253 && h[4 * 256 + 3] == 4 * 256 + 255;
  partial<<<1, 32>>>(a, b); cudaMemcpy(h, b, 128, cudaMemcpyDeviceToHost); ok = ok && h[0] == 3 && h[31] == 3 && h[2] == 29 + 3; cudaProfilerStop(); nvtxRangePop(); printf("pipeline_copy %s\n", ok ? "PASS" : "FAIL"); return !ok;
}
