// kernel=gemm line=17 finding=KO101
#include <cstdio>
#include <vector>


#define B 16

__device__ float madd(float a, float b, float c) { return a * b + c; }

/* one thread per element of C = A * B */
__global__ void gemm(int M, int N, int K, const float *A, const float *Bm, float *C) {
  const unsigned r = blockIdx.x*B + threadIdx.x;
  const unsigned c = blockIdx.y*B + threadIdx.y;
  if (r >= M || c >= N) return;
  float acc = 0.0f;
  for (int k = 0; k < K; ++k)
    acc = madd(A[r*K + k], Bm[k*N + c], acc);
  C[r*N + c] = acc;
}

int main() {
  const int M = 50, N = 90, K = 33;
  std::vector<float> a(M * K), b(K * N), c(M * N);
  for (int i = 0; i < M * K; i++) a[i] = i % 5;
  for (int i = 0; i < K * N; i++) b[i] = i % 7;
  float *da, *db, *dc;
  cudaMalloc(&da, a.size() * 4); cudaMalloc(&db, b.size() * 4); cudaMalloc(&dc, c.size() * 4);
  cudaMemcpy(da, a.data(), a.size() * 4, cudaMemcpyHostToDevice);
  cudaMemcpy(db, b.data(), b.size() * 4, cudaMemcpyHostToDevice);
  for (int repeat = 0; repeat < 2; repeat++)
    gemm<<<dim3((M + B - 1)/B, (N + B - 1)/B), dim3(B, B)>>>(M, N, K, da, db, dc);
  cudaMemcpy(c.data(), dc, c.size() * 4, cudaMemcpyDeviceToHost);
  int bad = 0;
  for (int i = 0; i < M; i++)
    for (int j = 0; j < N; j++) {
      float s = 0;
      for (int k = 0; k < K; k++) s += a[i * K + k] * b[k * N + j];
      bad += s != c[i * N + j];
    }
  printf("%s\n", bad ? "FAIL" : "PASS");
  return bad != 0;
}
