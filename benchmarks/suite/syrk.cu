/* Symmetric rank-k update, lower triangle only:  C = alpha * A * A^T + beta * C,  A is n x m, C is n x n. */
#include <cstdio>
#include <cstdlib>
#include <vector>

#define RUN(call) { cudaError_t status = (call); if (status != cudaSuccess) { std::printf("%s\n", cudaGetErrorString(status)); return 1; } }

__global__ void syrk_lower(const float *A, float *C, int n, int m, float alpha, float beta)
{
  const int j = blockIdx.x * blockDim.x + threadIdx.x;
  const int i = blockIdx.y * blockDim.y + threadIdx.y;

  if (i < n && j <= i)
  {
    float c = beta * C[i * n + j];
    for (int k = 0; k < m; ++k)
      c += alpha * A[i * m + k] * A[j * m + k];
    C[i * n + j] = c;
  }
}

int main(int argc, char **argv)
{
  const int n = (argc > 1) ? std::atoi(argv[1]) : 64;
  const int m = (argc > 2) ? std::atoi(argv[2]) : n;

  std::vector<float> A((std::size_t)n * m), C((std::size_t)n * n);
  for (int i = 0; i < n; ++i)
  {
    for (int k = 0; k < m; ++k) A[(std::size_t)i * m + k] = float((i * k + 1) % n) / n - 0.4f;
    for (int j = 0; j < n; ++j) C[(std::size_t)i * n + j] = float((i * j + 2) % m) / m;
  }

  float *dA, *dC;
  RUN(cudaMalloc(&dA, A.size() * sizeof(float)));
  RUN(cudaMalloc(&dC, C.size() * sizeof(float)));
  RUN(cudaMemcpy(dA, A.data(), A.size() * sizeof(float), cudaMemcpyHostToDevice));
  RUN(cudaMemcpy(dC, C.data(), C.size() * sizeof(float), cudaMemcpyHostToDevice));

  const dim3 threads(16, 16);
  const dim3 blocks((n + 15) / 16, (n + 15) / 16);
  syrk_lower<<<blocks, threads>>>(dA, dC, n, m, 1.5f, 1.2f);
  RUN(cudaGetLastError());
  RUN(cudaMemcpy(C.data(), dC, C.size() * sizeof(float), cudaMemcpyDeviceToHost));

  double lower = 0, upper = 0;
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j)
      (j <= i ? lower : upper) += C[(std::size_t)i * n + j];
  std::printf("lower %.4f upper %.4f\n", lower, upper);

  RUN(cudaFree(dA));
  RUN(cudaFree(dC));
  return 0;
}
