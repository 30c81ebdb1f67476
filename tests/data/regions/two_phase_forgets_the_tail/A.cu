#include <cstdio>
#include <cstdlib>
#include <vector>
#include <cuda_runtime.h>

// sum of squares, one block does it all
__global__ void norm2(const float *x, float *out, int n) {
  __shared__ float s[256];
  float acc = 0.f;
  for (int i = threadIdx.x; i < n; i += blockDim.x) acc += x[i] * x[i];
  s[threadIdx.x] = acc;
  __syncthreads();
  for (int k = 128; k > 0; k >>= 1) {
    if (threadIdx.x < k) s[threadIdx.x] += s[threadIdx.x + k];
    __syncthreads();
  }
  if (threadIdx.x == 0) *out = s[0];
}

int main(int argc, char **argv) {
  const int n = 700001;
  std::vector<float> x(n);
  srand(5);
  for (auto &v : x) v = rand() / (float)RAND_MAX - 0.5f;
  float *dx, *dout, r;
  cudaMalloc(&dx, n * sizeof(float));
  cudaMalloc(&dout, sizeof(float));
  cudaMemcpy(dx, x.data(), n * sizeof(float), cudaMemcpyHostToDevice);
  norm2<<<1, 256>>>(dx, dout, n);
  cudaMemcpy(&r, dout, sizeof r, cudaMemcpyDeviceToHost);
  printf("%.3f\n", r);
}
