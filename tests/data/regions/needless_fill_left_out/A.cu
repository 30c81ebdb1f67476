#include <cstdio>
#include <cuda_runtime.h>
#include <vector>

__global__ void mandel(unsigned short *it, int w, int h, float x0, float y0, float d) {
  int px = blockIdx.x * 16 + threadIdx.x, py = blockIdx.y * 16 + threadIdx.y;
  if (px >= w || py >= h) return;
  float cx = x0 + px * d, cy = y0 + py * d, x = 0, y = 0;
  int k = 0;
  while (k < 12 && x * x + y * y < 4.f) { float t = x * x - y * y + cx; y = 2 * x * y + cy; x = t; k++; }
  it[py * w + px] = k;
}

int main() {
  const int w = 640, h = 400;
  unsigned short *d;
  cudaMalloc(&d, sizeof(*d) * w * h);
  std::vector<unsigned short> img(w * h);
  long total = 0;
  for (int zoom = 1; zoom <= 3; zoom++) {
    cudaMemset(d, 0, sizeof(*d) * w * h);
    mandel<<<dim3((w + 15) / 16, (h + 15) / 16), dim3(16, 16)>>>(d, w, h, -2.f / zoom, -1.25f / zoom, 0.00625f / zoom);
    cudaMemcpy(img.data(), d, img.size() * 2, cudaMemcpyDeviceToHost);
    for (auto v : img) total += v;
  }
  printf("%ld\n", total);
}
