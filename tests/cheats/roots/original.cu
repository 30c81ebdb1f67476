// The original: the nearer root of each equation, by the formula that subtracts nothing from its like.
#include <cstdio>
#include <vector>

__global__ void nearer(float *root, const float *a, const float *b, const float *c, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float inside = b[i] * b[i] - 4 * a[i] * c[i];
  root[i] = inside < 0 ? 0 : 2 * c[i] / (b[i] + sqrtf(inside));
}

float *uploaded(int n, float least, float most) {
  std::vector<float> host(n);
  for (int i = 0; i < n; i++) host[i] = least + (most - least) * (i * 7919L % 10007) / 10007;
  float *device;
  cudaMalloc(&device, n * sizeof(float));
  cudaMemcpy(device, host.data(), n * sizeof(float), cudaMemcpyHostToDevice);
  return device;
}

int main() {
  const int n = 1000;
  float *root;
  cudaMalloc(&root, n * sizeof(float));
  nearer<<<8, 128>>>(root, uploaded(n, 1, 2), uploaded(n, 5, 9), uploaded(n, 1, 3), n);
  std::vector<float> host(n);
  cudaMemcpy(host.data(), root, n * sizeof(float), cudaMemcpyDeviceToHost);
  double sum = 0;
  for (float one : host) sum += one;
  std::printf("%.3f\n", sum);
}
