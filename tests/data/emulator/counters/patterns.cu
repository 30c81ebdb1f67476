// Access patterns whose counters can be worked out by hand. Every kernel runs one block of 32 threads unless main() says otherwise.
#include <cstdio>

__global__ void coalesced(const float* in, float* out) {
  out[threadIdx.x] = in[threadIdx.x];
}
__global__ void strided(const float* in, float* out) {
  out[threadIdx.x] = in[threadIdx.x * 8];
}
__global__ void broadcast(const float* in, float* out) {
  out[threadIdx.x] = in[5];
}
__global__ void shifted(const float* in, float* out) {
  out[threadIdx.x] = in[threadIdx.x + 1];
}
__global__ void wide(const float4* in, float4* out) {
  out[threadIdx.x] = in[threadIdx.x];
}
__global__ void partly(const float* in, float* out) {
  if (threadIdx.x < 5)
    out[threadIdx.x] = in[threadIdx.x];
}
__global__ void banks(int* out, int stride) {
  __shared__ int s[1024];
  s[threadIdx.x * stride % 1024] = threadIdx.x;
  __syncthreads();
  out[threadIdx.x] = s[threadIdx.x * stride % 1024];
}
__global__ void wide_banks(double* out) {
  __shared__ double s[32];
  s[threadIdx.x] = threadIdx.x;
  __syncthreads();
  out[threadIdx.x] = s[threadIdx.x ^ 1];
}
__global__ void atomics(int* out) {
  atomicAdd(&out[threadIdx.x % 2 * 8], 1);
}
__global__ void branches(const int* in, int* out) {
  int v = 0;
  for (int k = 0; k < in[threadIdx.x]; k++)
    v += in[32 + k];
  out[threadIdx.x] = v;
}
__global__ void overlap(const float* in, float* out) {
  out[blockIdx.x * blockDim.x + threadIdx.x] = in[threadIdx.x];
}

int main() {
  float* in;
  float* out;
  cudaMalloc(&in, 65536);
  cudaMalloc(&out, 65536);
  cudaMemset(in, 0, 65536);
  coalesced<<<1, 32>>>(in, out);
  strided<<<1, 32>>>(in, out);
  broadcast<<<1, 32>>>(in, out);
  shifted<<<1, 32>>>(in, out);
  wide<<<1, 32>>>((float4*)in, (float4*)out);
  partly<<<1, 32>>>(in, out);
  banks<<<1, 32>>>((int*)out, 1);
  banks<<<1, 32>>>((int*)out, 2);
  banks<<<1, 32>>>((int*)out, 32);
  banks<<<1, 32>>>((int*)out, 33);
  wide_banks<<<1, 32>>>((double*)out);
  atomics<<<1, 32>>>((int*)in);
  int lengths[64];
  for (int i = 0; i < 64; i++) lengths[i] = i < 16 ? 2 : 3;
  cudaMemcpy(in, lengths, sizeof lengths, cudaMemcpyHostToDevice);
  branches<<<1, 32>>>((int*)in, (int*)out);
  overlap<<<64, 64>>>(in, out);
  printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
}
