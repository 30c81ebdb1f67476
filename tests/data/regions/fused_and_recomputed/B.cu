#include <cstdio>
#include <cstdlib>
#include <vector>
#include <cuda_runtime.h>

#define W 512
#define H 384
__global__ void subtract_mean(const float *img, float *out) {
  int c = blockIdx.x * 32 + threadIdx.x, r = blockIdx.y * 8 + threadIdx.y;
  if (c >= W || r >= H) return;
  float s = 0;
  for (int k = 0; k < W; k++) s += img[r * W + k];
  out[r * W + c] = img[r * W + c] - s / W;
}
int main() {
  std::vector<float> h(W * H);
  for (int i = 0; i < W * H; i++) h[i] = (i * 7919 % 255);
  float *img, *mean, *out;
  cudaMalloc(&img, sizeof(float) * W * H); cudaMalloc(&mean, sizeof(float) * H); cudaMalloc(&out, sizeof(float) * W * H);
  cudaMemcpy(img, &h[0], sizeof(float) * W * H, cudaMemcpyHostToDevice);
  subtract_mean<<<dim3(W / 32, H / 8), dim3(32, 8)>>>(img, out);
  cudaMemcpy(&h[0], out, sizeof(float) * W * H, cudaMemcpyDeviceToHost);
  printf("%f\n", h[W * H / 2]);
}
