// kernel=first_product line=13 finding=KO108
#include <cstdio>
#include <cstdlib>
#include <vector>

// tmp = alpha * A * B
__global__ void first_product(int n, float alpha, const float* A, const float* B, float* tmp)
{
  int i = blockIdx.y * blockDim.y + threadIdx.y;
  int j = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n && j < n) {
    float acc = 0;
    for (int k = 0; k < n; k++)
      acc += alpha * A[i * n + k] * B[k * n + j];
    tmp[i * n + j] = acc;
  }
}

int main(int argc, char** argv)
{
  const int n = argc > 1 ? atoi(argv[1]) : 203;
  std::vector<float> a(n * n), b(n * n), c(n * n);
  for (int i = 0; i < n * n; i++) {
    a[i] = (i * 7 % 13) * 0.25f - 1.0f;
    b[i] = (i * 5 % 11) * 0.5f - 2.0f;
  }
  float *A, *B, *C;
  cudaMalloc(&A, a.size() * sizeof(float));
  cudaMalloc(&B, b.size() * sizeof(float));
  cudaMalloc(&C, c.size() * sizeof(float));
  cudaMemcpy(A, a.data(), a.size() * sizeof(float), cudaMemcpyHostToDevice);
  cudaMemcpy(B, b.data(), b.size() * sizeof(float), cudaMemcpyHostToDevice);
  dim3 block(32, 8);
  dim3 grid((n + 31) / 32, (n + 7) / 8);
  first_product<<<grid, block>>>(n, 1.5f, A, B, C);
  cudaMemcpy(c.data(), C, c.size() * sizeof(float), cudaMemcpyDeviceToHost);
  double s = 0;
  for (float v : c) s += v;
  printf("%.3f\n", s);
  return 0;
}
