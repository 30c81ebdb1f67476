// printf and assert in kernels, clock, fences, device memcpy.
#include <cassert>
#include <cstdio>
#include <cstring>
#include <cuda_runtime.h>
__device__ unsigned int done_blocks = 0;
__global__ void speak(int n) { assert(n > 0); if (threadIdx.x == 0) printf("block %d of %d says %s %.1f\n", blockIdx.x, gridDim.x, "hello", 1.5f); long long t = clock64(); __threadfence(); assert(clock64() >= t && "time passes"); __nanosleep(10); }
__global__ void last_block(const float* in, float* part, float* out, int n) {
  __shared__ bool is_last; __shared__ float s[64]; s[threadIdx.x] = in[blockIdx.x * 64 + threadIdx.x]; __syncthreads(); for (int k = 32; k > 0; k >>= 1) { if (threadIdx.x < k) s[threadIdx.x] += s[threadIdx.x + k]; __syncthreads(); }
  if (threadIdx.x == 0) { part[blockIdx.x] = s[0]; __threadfence(); is_last = atomicInc(&done_blocks, gridDim.x) == gridDim.x - 1; } __syncthreads(); if (is_last && threadIdx.x == 0) { float t = 0; for (int b = 0; b < gridDim.x; b++) t += ((volatile float*)part)[b]; *out = t; done_blocks = 0; }
}
struct Record { int id; float values[7]; };
__global__ void copy(Record* to, const Record* from) { Record r; memcpy(&r, &from[threadIdx.x], sizeof r); memset(r.values + 4, 0, 3 * sizeof(float)); memcpy(to + threadIdx.x, &r, sizeof(Record)); }
__global__ void fail(int n) { assert(n == 1); }
int main() {
  speak<<<2, 32>>>(1); bool ok = cudaDeviceSynchronize() == cudaSuccess; float h[640], *d; for (float& x : h) x = 1; cudaMalloc(&d, sizeof h + 1024); cudaMemcpy(d, h, sizeof h, cudaMemcpyHostToDevice); last_block<<<10, 64>>>(d, d + 640, d + 700, 640); float r; cudaMemcpy(&r, d + 700, 4, cudaMemcpyDeviceToHost); ok &= r == 640;
  Record a[4], *from, *to; for (int i = 0; i < 4; i++) { a[i].id = i; for (float& v : a[i].values) v = i; } cudaMalloc(&from, sizeof a); cudaMalloc(&to, sizeof a); cudaMemcpy(from, a, sizeof a, cudaMemcpyHostToDevice); copy<<<1, 4>>>(to, from); cudaMemcpy(a, to, sizeof a, cudaMemcpyDeviceToHost); ok &= a[3].id == 3 && a[3].values[3] == 3 && a[3].values[4] == 0;
  fail<<<1, 1>>>(0); ok &= cudaDeviceSynchronize() == cudaErrorAssert && cudaGetLastError() == cudaErrorAssert && cudaFree(d) == cudaErrorAssert; assert(ok); puts(ok ? "device_output PASS" : "device_output FAIL"); return !ok;
}
