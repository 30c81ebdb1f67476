// The same through a padded tile in shared memory.
#include <cstdio>
#include <vector>

__global__ void transpose(float *out, const float *in, int n) {
  __shared__ float tile[32][33];
  int x = blockIdx.x * 32 + threadIdx.x;
  for (int row = threadIdx.y; row < 32; row += 8) tile[row][threadIdx.x] = in[(blockIdx.y * 32 + row) * n + x];
  __syncthreads();
  int column = blockIdx.y * 32 + threadIdx.x;
  for (int row = threadIdx.y; row < 32; row += 8) out[(blockIdx.x * 32 + row) * n + column] = tile[threadIdx.x][row];
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
