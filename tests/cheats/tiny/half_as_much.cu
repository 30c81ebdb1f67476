// Wrong by half: an absolute tolerance of 1e-5, or of 1e-2 as test suites have it, would let it pass.
#include <cstdio>
#include <vector>

__global__ void current(float *out, const float *voltage, float conductance, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = 0.5f * conductance * voltage[i] * voltage[i];
}

int main() {
  const int n = 1003;
  float *voltage, *out;
  cudaMalloc(&voltage, n * sizeof(float));
  cudaMalloc(&out, n * sizeof(float));
  std::vector<float> host(n), result(n);
  for (int i = 0; i < n; i++) host[i] = (i * 37 % 101) * 0.1f - 5.0f;
  cudaMemcpy(voltage, host.data(), n * sizeof(float), cudaMemcpyHostToDevice);
  current<<<(n + 127) / 128, 128>>>(out, voltage, 1e-12f, n);
  cudaMemcpy(result.data(), out, n * sizeof(float), cudaMemcpyDeviceToHost);
  double sum = 0;
  for (float value : result) sum += value;
  std::printf("%.4e A\n", sum);
  cudaFree(voltage);
  cudaFree(out);
}
