#include <cstdio>
#include <cstdlib>
#include <vector>
#include <cuda_runtime.h>

#define W 512
#define H 384
__global__ void row_mean(const float *img, float *mean) {
  int r = blockIdx.x * blockDim.x + threadIdx.x;
  if (r >= H) return;
  float s = 0;
  for (int c = 0; c < W; c++) s += img[r * W + c];
  mean[r] = s / W;
}
__global__ void subtract(const float *img, const float *mean, float *out) {
  int c = blockIdx.x * 32 + threadIdx.x, r = blockIdx.y * 8 + threadIdx.y;
  if (c < W && r < H) out[r * W + c] = img[r * W + c] - mean[r];
}
int main() {
  std::vector<float> h(W * H);
  for (int i = 0; i < W * H; i++) h[i] = (i * 7919 % 255);
  float *img, *mean, *out;
  cudaMalloc(&img, sizeof(float) * W * H); cudaMalloc(&mean, sizeof(float) * H); cudaMalloc(&out, sizeof(float) * W * H);
  cudaMemcpy(img, &h[0], sizeof(float) * W * H, cudaMemcpyHostToDevice);
  row_mean<<<(H + 63) / 64, 64>>>(img, mean);
  subtract<<<dim3(W / 32, H / 8), dim3(32, 8)>>>(img, mean, out);
  cudaMemcpy(&h[0], out, sizeof(float) * W * H, cudaMemcpyDeviceToHost);
  printf("%f\n", h[W * H / 2]);
}
