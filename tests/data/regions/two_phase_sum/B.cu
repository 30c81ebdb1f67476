#include <cstdio>
#include <cstdlib>
#include <vector>
#include <cuda_runtime.h>

// sum of squares: each block its part, then one block adds the parts
__global__ void norm2(const float *x, float *out, int n, int square) {
  __shared__ float s[256];
  float acc = 0.f;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x) acc += square ? x[i] * x[i] : x[i];
  s[threadIdx.x] = acc;
  __syncthreads();
  for (int k = 128; k > 0; k >>= 1) {
    if (threadIdx.x < k) s[threadIdx.x] += s[threadIdx.x + k];
    __syncthreads();
  }
  if (threadIdx.x == 0) out[blockIdx.x] = s[0];
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
  float *parts;
  cudaMalloc(&parts, 256 * sizeof(float));
  norm2<<<256, 256>>>(dx, parts, n, 1);
  norm2<<<1, 256>>>(parts, dout, 256, 0);
  cudaMemcpy(&r, dout, sizeof r, cudaMemcpyDeviceToHost);
  printf("%.3f\n", r);
}
