// Sixteen bytes at a time where both arrays allow it.
#include <cstdio>
#include <vector>

__global__ void copy(unsigned char *out, const unsigned char *in, int n) {
  int stride = gridDim.x * blockDim.x;
  int first = blockIdx.x * blockDim.x + threadIdx.x;
  bool is_aligned = (reinterpret_cast<size_t>(in) | reinterpret_cast<size_t>(out)) % 16 == 0;
  int vectors = is_aligned ? n / 16 : 0;
  for (int i = first; i < vectors; i += stride) reinterpret_cast<uint4 *>(out)[i] = reinterpret_cast<const uint4 *>(in)[i];
  for (int i = 16 * vectors + first; i < n; i += stride) out[i] = in[i];
}

int main() {
  const int n = 1 << 21;
  std::vector<unsigned char> host(n);
  for (int i = 0; i < n; i++) host[i] = static_cast<unsigned char>(i % 251);
  unsigned char *in, *out;
  cudaMalloc(&in, n);
  cudaMalloc(&out, n);
  cudaMemcpy(in, host.data(), n, cudaMemcpyHostToDevice);
  copy<<<(n / 16 + 255) / 256, 256>>>(out, in, n);
  cudaMemcpy(host.data(), out, n, cudaMemcpyDeviceToHost);
  std::printf("%d %d\n", host[1], host[n - 1]);
  cudaFree(in);
  cudaFree(out);
}
