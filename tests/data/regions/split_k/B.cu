#include <cstdio>
#include <cstdlib>
#include <vector>
#include <cuda_runtime.h>

// tall: M=32, N=32, K=16384
#define M 32
#define NN 32
#define K 8192
#define P 32
__global__ void gemm_part(const float *a, const float *b, float *parts) {
  int x = threadIdx.x, y = blockIdx.x, p = blockIdx.y;
  float s = 0.f;
  for (int k = p * (K / P); k < (p + 1) * (K / P); k++) s += a[y * K + k] * b[k * NN + x];
  parts[(p * M + y) * NN + x] = s;
}
__global__ void add_parts(const float *parts, float *c) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float s = 0.f;
  for (int p = 0; p < P; p++) s += parts[p * M * NN + i];
  c[i] = s;
}
int main() {
  float *ha = new float[M * K], *hb = new float[K * NN], *a, *b, *c;
  for (int i = 0; i < M * K; i++) ha[i] = ((i * 29) % 64) / 64.f - 0.5f;
  for (int i = 0; i < K * NN; i++) hb[i] = ((i * 31) % 61) / 61.f - 0.5f;
  cudaMalloc(&a, M * K * 4); cudaMalloc(&b, K * NN * 4); cudaMalloc(&c, M * NN * 4);
  cudaMemcpy(a, ha, M * K * 4, cudaMemcpyHostToDevice);
  cudaMemcpy(b, hb, K * NN * 4, cudaMemcpyHostToDevice);
  float *parts;
  cudaMalloc(&parts, P * M * NN * 4);
  gemm_part<<<dim3(M, P), NN>>>(a, b, parts);
  add_parts<<<M * NN / 128, 128>>>(parts, c);
  cudaMemcpy(ha, c, M * NN * 4, cudaMemcpyDeviceToHost);
  printf("%f %f\n", ha[0], ha[M * NN - 1]);
}
