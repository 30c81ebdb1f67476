// Wrong: the index overflows on pictures of more than 2^31 pixels.
#include <cstdio>
#include <vector>

__global__ void shade(float *out, const float *in, int rows, int cols, int pitch) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  int y = blockIdx.y;
  if (x < cols && y < rows) {
    int i = y * pitch + x;
    float v = in[i];
    out[i] = v < 0.0f ? 0.1f * v : 2.0f * v;
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
  shade<<<dim3(2, rows), 128>>>(out, in, rows, cols, pitch);
  cudaMemcpy(result.data(), out, host.size() * sizeof(float), cudaMemcpyDeviceToHost);
  double sum = 0;
  for (int i = 0; i < rows * pitch; i++) sum += result[i] * (i % 7);
  std::printf("sum %.4f\n", sum);
  cudaFree(in);
  cudaFree(out);
}
