// The original: its result does not depend on its input, so no values can tell a right version from a wrong one.
#include <cstdio>
#include <vector>

__global__ void normalize(float *out, const float *in, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = in[i] * 0.0f + 1.0f;
}

int main() {
  const int n = 1003;
  float *in, *out;
  cudaMalloc(&in, n * sizeof(float));
  cudaMalloc(&out, n * sizeof(float));
  std::vector<float> host(n), result(n);
  for (int i = 0; i < n; i++) host[i] = (i * 37 % 101) * 0.1f - 5.0f;
  cudaMemcpy(in, host.data(), n * sizeof(float), cudaMemcpyHostToDevice);
  normalize<<<(n + 127) / 128, 128>>>(out, in, n);
  cudaMemcpy(result.data(), out, n * sizeof(float), cudaMemcpyDeviceToHost);
  double sum = 0;
  for (float value : result) sum += value;
  std::printf("%.1f\n", sum);
  cudaFree(in);
  cudaFree(out);
}
