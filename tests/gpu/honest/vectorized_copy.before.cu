// A copy byte by byte.
#include <cstdio>
#include <vector>

__global__ void copy(unsigned char *out, const unsigned char *in, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = in[i];
}

int main() {
  const int n = 1 << 21;
  std::vector<unsigned char> host(n);
  for (int i = 0; i < n; i++) host[i] = static_cast<unsigned char>(i % 251);
  unsigned char *in, *out;
  cudaMalloc(&in, n);
  cudaMalloc(&out, n);
  cudaMemcpy(in, host.data(), n, cudaMemcpyHostToDevice);
  copy<<<(n + 255) / 256, 256>>>(out, in, n);
  cudaMemcpy(host.data(), out, n, cudaMemcpyDeviceToHost);
  std::printf("%d %d\n", host[1], host[n - 1]);
  cudaFree(in);
  cudaFree(out);
}
