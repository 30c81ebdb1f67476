// A transpose that writes columns.
#include <cstdio>
#include <vector>

__global__ void transpose(float *out, const float *in, int n) {
  int x = blockIdx.x * 32 + threadIdx.x;
  for (int row = threadIdx.y; row < 32; row += 8) {
    int y = blockIdx.y * 32 + row;
    out[x * n + y] = in[y * n + x];
  }
}

int main() {
  const int n = 1024;
  std::vector<float> host(n * n);
  for (int i = 0; i < n * n; i++) host[i] = i % 1009 * 0.5f;
  float *in, *out;
  cudaMalloc(&in, n * n * sizeof(float));
  cudaMalloc(&out, n * n * sizeof(float));
  cudaMemcpy(in, host.data(), n * n * sizeof(float), cudaMemcpyHostToDevice);
  transpose<<<dim3(n / 32, n / 32), dim3(32, 8)>>>(out, in, n);
  cudaMemcpy(host.data(), out, n * n * sizeof(float), cudaMemcpyDeviceToHost);
  std::printf("%g %g\n", host[1], host[n]);
  cudaFree(in);
  cudaFree(out);
}
