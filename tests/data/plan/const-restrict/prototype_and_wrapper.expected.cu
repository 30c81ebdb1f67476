// kernel=saxpy line=37 finding=KO113
#include <stdio.h>

extern "C" __global__ void saxpy(float* __restrict__ y, const float* __restrict__ x, const float* __restrict__ a, int n);
void launch(float* y, float* x, float* a, int n);

#define CHECK(x) do { if ((x) != cudaSuccess) { puts("cuda error"); return 1; } } while (0)

int main()
{
  const int n = 777;
  float *y = NULL, *x = NULL, *a = NULL;
  CHECK(cudaMallocManaged((void**)&y, n * sizeof(float)));
  CHECK(cudaMallocManaged((void**)&x, n * sizeof(float)));
  CHECK(cudaMallocManaged((void**)&a, sizeof(float)));
  for (int i = 0; i < n; i++) { x[i] = i; y[i] = 1; }
  *a = 2;
  for (int step = 0; step < 3; step++)
    launch(y, x, a, n);
  CHECK(cudaDeviceSynchronize());
  for (int i = 0; i < n; i++)
    if (y[i] != 1 + 6.0f * i) { puts("FAIL"); return 1; }
  puts("PASS");
  return 0;
}

void launch(float* y, float* x, float* a, int n)
{
  dim3 block(64);
  dim3 grid((n + block.x - 1) / block.x);
  saxpy<<<grid, block>>>(y, x, a, n);
}

extern "C" __global__ void saxpy(float* __restrict__ y, const float* __restrict__ x, const float* __restrict__ a, int n)
{
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x)
    y[i] = *a * *(x + i) + y[i];
}
