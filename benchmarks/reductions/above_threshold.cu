#include <cstdio>
#include <cstdlib>
#define CUDA_OK(c) if ((c) != cudaSuccess) { printf("cuda failed, line %d\n", __LINE__); return 1; }

__global__ void countAbove(const double* __restrict__ signal, double limit, int* hits, double* excess, double* peak_bits, int n)
{
  const int idx = blockDim.x * blockIdx.x + threadIdx.x;
  if (idx >= n) return;
  const double v = signal[idx];
  if (v > limit) {
    atomicAdd(hits, 1);
    atomicAdd(excess, v - limit);
  }
}

int main(int argc, char** argv)
{
  int n = argc > 1 ? atoi(argv[1]) : 65537;
  double* h = new double[n];
  for (int i = 0; i < n; i++) h[i] = (i * 2654435761u % 10007) / 10007.0;
  double *d, *e; int* c;
  CUDA_OK(cudaMalloc(&d, n * 8)); CUDA_OK(cudaMalloc(&e, 8)); CUDA_OK(cudaMalloc(&c, 4));
  CUDA_OK(cudaMemset(e, 0, 8)); CUDA_OK(cudaMemset(c, 0, 4));
  CUDA_OK(cudaMemcpy(d, h, n * 8, cudaMemcpyHostToDevice));
  const int block = 128;
  countAbove<<<(n + block - 1) / block, block>>>(d, 0.6, c, e, nullptr, n);
  int hits; double excess;
  CUDA_OK(cudaMemcpy(&hits, c, 4, cudaMemcpyDeviceToHost));
  CUDA_OK(cudaMemcpy(&excess, e, 8, cudaMemcpyDeviceToHost));
  printf("%d above, excess %.9f\n", hits, excess);
  delete[] h;
  return 0;
}
