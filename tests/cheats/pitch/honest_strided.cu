// Right: a grid-stride loop over both directions, whatever the launch is.
#include <cstdio>
#include <vector>

__global__ void shade(float *out, const float *in, int rows, int cols, int pitch) {
  for (long long y = blockIdx.y; y < rows; y += gridDim.y) {
    const float *from = in + y * pitch;
    float *to = out + y * pitch;
    for (int x = blockIdx.x * blockDim.x + threadIdx.x; x < cols; x += gridDim.x * blockDim.x) {
      float v = from[x];
      to[x] = v < 0.0f ? 0.1f * v : 2.0f * v;
    }
  }
}

int main() {
  const int rows = 16, cols = 256, pitch = 320;
  std::vector<float> host(rows * pitch), result(rows * pitch);
  for (int i = 0; i < rows * pitch; i++) host[i] = (i * 37 % 101) * 0.1f + 0.5f;
  float *in, *out;
  cudaMalloc(&in, host.size() * sizeof(float));
  cudaMalloc(&out, host.size() * sizeof(float));
  cudaMemcpy(in, host.data(), host.size() * sizeof(float), cudaMemcpyHostToDevice);
  cudaMemset(out, 0, host.size() * sizeof(float));
  shade<<<dim3(1, 4), 128>>>(out, in, rows, cols, pitch);
  cudaMemcpy(result.data(), out, host.size() * sizeof(float), cudaMemcpyDeviceToHost);
  double sum = 0;
  for (int i = 0; i < rows * pitch; i++) sum += result[i] * (i % 7);
  std::printf("sum %.4f\n", sum);
  cudaFree(in);
  cudaFree(out);
}
