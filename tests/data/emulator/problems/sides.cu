#include <cstdio>
__global__ void blur(const float* in, const float* other, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = in[i - 1] + in[i + 1] + other[i + 1];
}

int main() {
  const int n = 1000;
  float *in, *other, *out;
  cudaMalloc(&in, n * 4);
  cudaMalloc(&other, n * 4);
  cudaMalloc(&out, n * 4);
  cudaMemset(in, 0, n * 4);
  cudaMemset(other, 0, n * 4);
  for (int i = 0; i < 2; ++i) blur<<<4, 256>>>(in, other, out, n);
  for (size_t shared : {0, 60000}) blur<<<1, shared ? 64 : 2048, shared>>>(in, other, out, n);
  cudaDeviceSynchronize();
}
