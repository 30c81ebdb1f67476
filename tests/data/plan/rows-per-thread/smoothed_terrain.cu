// kernel=smooth line=6 finding=KO121
#include <cstdio>
#include <cstdlib>

__global__ void smooth(const float *z, float *out, const int w, const int h) {
  int r = threadIdx.y + blockDim.y * blockIdx.y, c = threadIdx.x + blockDim.x * blockIdx.x;
  if (1 <= r && r <= h - 2 && 1 <= c && c <= w - 2) {
    float near = z[(r - 1) * w + c] + z[(r + 1) * w + c] + z[r * w + c - 1] + z[r * w + c + 1];
    float far = z[(r - 1) * w + c - 1] + z[(r - 1) * w + c + 1] + z[(r + 1) * w + c - 1] + z[(r + 1) * w + c + 1];
    out[r * w + c] = 0.25f * z[r * w + c] + 0.125f * near + 0.0625f * far;  // 1 2 1
  }
}

int main() {
  const int w = 67, h = 59, n = w * h;
  float *host = (float *)malloc(n * sizeof(float)), *z, *out;
  for (int i = 0; i < n; i++) host[i] = i * 13 % 89;
  cudaMalloc(&z, n * sizeof(float));
  cudaMalloc(&out, n * sizeof(float));
  cudaMemcpy(z, host, n * sizeof(float), cudaMemcpyHostToDevice);
  cudaMemcpy(out, host, n * sizeof(float), cudaMemcpyHostToDevice);
  dim3 block(16, 16);
  dim3 grid((w + 15) / 16, (h + 15) / 16);
  smooth<<<grid, block>>>(z, out, w, h);
  cudaMemcpy(host, out, n * sizeof(float), cudaMemcpyDeviceToHost);
  float sum = 0;
  for (int i = 0; i < n; i++) sum += host[i];
  printf("%f\n", sum);
  return 0;
}
