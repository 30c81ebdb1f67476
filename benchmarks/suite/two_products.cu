// D = alpha * A * B * C + beta * D, square matrices, one kernel per product
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>

#define cudaSafe(call)                                                              \
  {                                                                                 \
    cudaError_t err = call;                                                         \
    if (err != cudaSuccess)                                                         \
    {                                                                               \
      fprintf(stderr, "CUDA error in %s (%d): %s\n", __FILE__, __LINE__,            \
              cudaGetErrorString(err));                                             \
      exit(EXIT_FAILURE);                                                           \
    }                                                                               \
  }

typedef float real;

__global__ void first_product(int n, real alpha, const real* A, const real* B, real* tmp)
{
  int i = blockIdx.y * blockDim.y + threadIdx.y;
  int j = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n && j < n)
  {
    tmp[i * n + j] = 0;
    for (int k = 0; k < n; k++)
      tmp[i * n + j] += alpha * A[i * n + k] * B[k * n + j];
  }
}

__global__ void second_product(int n, real beta, const real* tmp, const real* C, real* D)
{
  int i = blockIdx.y * blockDim.y + threadIdx.y;
  int j = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n && j < n)
  {
    D[i * n + j] *= beta;
    for (int k = 0; k < n; k++)
      D[i * n + j] += tmp[i * n + k] * C[k * n + j];
  }
}

static real* upload(const real* host, size_t count)
{
  real* device;
  cudaSafe(cudaMalloc(&device, count * sizeof(real)));
  cudaSafe(cudaMemcpy(device, host, count * sizeof(real), cudaMemcpyHostToDevice));
  return device;
}

int main(int argc, char** argv)
{
  int n = argc > 1 ? atoi(argv[1]) : 64;
  size_t count = (size_t)n * n;
  real alpha = 1.5f, beta = 1.2f;

  real* host[4];
  for (int m = 0; m < 4; m++)
  {
    host[m] = (real*)malloc(count * sizeof(real));
    for (int i = 0; i < n; i++)
      for (int j = 0; j < n; j++)
        host[m][i * n + j] = (real)((i * (j + m + 1) + m) % 100) / 100;
  }
  real* A = upload(host[0], count);
  real* B = upload(host[1], count);
  real* C = upload(host[2], count);
  real* D = upload(host[3], count);
  real* tmp;
  cudaSafe(cudaMalloc(&tmp, count * sizeof(real)));

  dim3 block(32, 8);
  dim3 grid((n + 31) / 32, (n + 7) / 8);
  first_product<<<grid, block>>>(n, alpha, A, B, tmp);
  cudaSafe(cudaGetLastError());
  second_product<<<grid, block>>>(n, beta, tmp, C, D);
  cudaSafe(cudaGetLastError());
  cudaSafe(cudaMemcpy(host[3], D, count * sizeof(real), cudaMemcpyDeviceToHost));

  double trace = 0, sum = 0;
  for (int i = 0; i < n; i++)
    trace += host[3][i * n + i];
  for (size_t i = 0; i < count; i++)
    sum += host[3][i];
  printf("trace %.6e, sum %.6e\n", trace, sum);

  cudaSafe(cudaFree(A));
  cudaSafe(cudaFree(B));
  cudaSafe(cudaFree(C));
  cudaSafe(cudaFree(D));
  cudaSafe(cudaFree(tmp));
  for (int m = 0; m < 4; m++)
    free(host[m]);
  return 0;
}
