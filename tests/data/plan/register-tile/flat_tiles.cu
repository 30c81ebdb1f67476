// kernel=sgemm_smem line=24 finding=KO108
// C = alpha*A*B + beta*C, tiled
#include <cstdio>
#include <vector>
#include <cuda_runtime.h>
constexpr int BS = 32;

__global__ void sgemm_smem(int M, int N, int K, float alpha, const float *A, const float *B, float beta, float *C) {
  __shared__ float As[BS * BS];
  __shared__ float Bs[BS * BS];
  const int row = blockIdx.y * BS + threadIdx.y;
  const int col = blockIdx.x * BS + threadIdx.x;
  float acc = 0.0f;
  for (int k0 = 0; k0 < K; k0 += BS) {
    if (row < M && k0 + threadIdx.x < K)
      As[threadIdx.y * BS + threadIdx.x] = A[row * K + k0 + threadIdx.x];
    else
      As[threadIdx.y * BS + threadIdx.x] = 0.0f;
    if (col < N && k0 + threadIdx.y < K)
      Bs[threadIdx.y * BS + threadIdx.x] = B[(k0 + threadIdx.y) * N + col];
    else
      Bs[threadIdx.y * BS + threadIdx.x] = 0.0f;
    __syncthreads();
    for (int k = 0; k < BS; ++k)
      acc += As[threadIdx.y * BS + k] * Bs[k * BS + threadIdx.x];
    __syncthreads();
  }
  if (row < M && col < N)
    C[row * N + col] = alpha * acc + beta * C[row * N + col];
}

int main(int argc, char **argv) {
  int n = argc > 1 ? atoi(argv[1]) : 128;
  int M = n, N = n + 32, K = n - 32;
  std::vector<float> a(M * K), b(K * N), c(M * N);
  for (size_t i = 0; i < a.size(); i++) a[i] = float(i % 7) - 3.0f;
  for (size_t i = 0; i < b.size(); i++) b[i] = float(i % 5) * 0.25f;
  for (size_t i = 0; i < c.size(); i++) c[i] = float(i % 3);
  float *da, *db, *dc;
  cudaMalloc((void **)&da, a.size() * 4);
  cudaMalloc((void **)&db, b.size() * 4);
  cudaMalloc((void **)&dc, c.size() * 4);
  cudaMemcpy(da, a.data(), a.size() * 4, cudaMemcpyHostToDevice);
  cudaMemcpy(db, b.data(), b.size() * 4, cudaMemcpyHostToDevice);
  cudaMemcpy(dc, c.data(), c.size() * 4, cudaMemcpyHostToDevice);
  dim3 threads(BS, BS);
  dim3 blocks((N + BS - 1) / BS, (M + BS - 1) / BS);
  sgemm_smem<<<blocks, threads>>>(M, N, K, 1.5f, da, db, 0.5f, dc);
  cudaDeviceSynchronize();
  cudaMemcpy(c.data(), dc, c.size() * 4, cudaMemcpyDeviceToHost);
  double t = 0;
  for (float v : c) t += v;
  printf("%g\n", t);
}
