#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>

__global__ void wave(const float *a, float *b, int n, int k) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) b[i] = a[i] * 0.5f + a[(i + k) % n] * 0.5f;
}
__global__ void energy(const float *snap, float *e, int n) {
  __shared__ float s[128];
  float t = 0;
  for (int i = blockIdx.x * 128 + threadIdx.x; i < n; i += gridDim.x * 128) t += snap[i] * snap[i];
  s[threadIdx.x] = t; __syncthreads();
  for (int o = 64; o; o >>= 1) { if (threadIdx.x < o) s[threadIdx.x] += s[threadIdx.x + o]; __syncthreads(); }
  if (!threadIdx.x) e[blockIdx.x] = s[0];
}

int main() {
  const int n = 120000, steps = 4, eb = 32;
  float *h = (float *)malloc(n * 4), he[eb];
  for (int i = 0; i < n; i++) h[i] = i % 100;
  float *a, *b, *snap, *e;
  cudaMalloc(&a, n * 4); cudaMalloc(&b, n * 4); cudaMalloc(&snap, n * 4); cudaMalloc(&e, eb * 4 * steps);
  cudaStream_t s1, s2; cudaStreamCreateWithFlags(&s1, cudaStreamNonBlocking); cudaStreamCreateWithFlags(&s2, cudaStreamNonBlocking);
  cudaEvent_t ready, taken; cudaEventCreate(&ready); cudaEventCreate(&taken);
  cudaMemcpy(a, h, n * 4, cudaMemcpyHostToDevice);
  for (int t = 0; t < steps; t++) {
    wave<<<(n + 255) / 256, 256, 0, s1>>>(a, b, n, t + 1);
    cudaEventRecord(ready, s1);
    cudaStreamWaitEvent(s2, ready, 0);
    cudaMemcpyAsync(snap, b, n * 4, cudaMemcpyDeviceToDevice, s2);
    energy<<<eb, 128, 0, s2>>>(snap, e + t * eb, n);
    cudaEventRecord(taken, s2);
    cudaStreamWaitEvent(s1, taken, 0);
    float *x = a; a = b; b = x;
  }
  cudaDeviceSynchronize();
  double sum = 0;
  for (int t = 0; t < steps; t++) {
    cudaMemcpy(he, e + t * eb, eb * 4, cudaMemcpyDeviceToHost);
    for (int i = 0; i < eb; i++) sum += he[i];
  }
  cudaMemcpy(h, a, n * 4, cudaMemcpyDeviceToHost);
  printf("%.3f %.3f\n", sum, h[0]);
  return 0;
}
