// kernel=median line=26 finding=KO117
#include <cstdio>
#include <vector>
#include <algorithm>

using pix = unsigned short;

__device__ int inside(int v, int high) { return v < 0 ? 0 : v > high ? high : v; }

__global__ void median(const pix* src, pix* dst, int w, int h)
{
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= w || y >= h) return;

  pix win[9];
  int n = 0;
  for (int dy = -1; dy <= 1; ++dy)
    for (int dx = -1; dx <= 1; ++dx)
      win[n++] = src[inside(y + dy, h - 1) * w + inside(x + dx, w - 1)];

  for (int i = 1; i < 9; ++i) {
    pix v = win[i];
    int j = i - 1;
    while (j >= 0 && win[j] > v) {
      win[j + 1] = win[j];
      --j;
    }
    win[j + 1] = v;
  }
  dst[y * w + x] = win[4];
}

int main()
{
  const int w = 70, h = 45;
  pix *src, *dst;
  cudaMallocManaged(&src, w * h * sizeof(pix));
  cudaMallocManaged(&dst, w * h * sizeof(pix));
  for (int i = 0; i < w * h; ++i) src[i] = i * 2654435761u >> 18;
  median<<<dim3((w + 15) / 16, (h + 7) / 8), dim3(16, 8)>>>(src, dst, w, h);
  cudaDeviceSynchronize();
  for (int y = 1; y < h - 1; ++y)
    for (int x = 1; x < w - 1; ++x) {
      std::vector<pix> all;
      for (int k = 0; k < 9; ++k) all.push_back(src[(y + k / 3 - 1) * w + x + k % 3 - 1]);
      std::sort(all.begin(), all.end());
      if (dst[y * w + x] != all[4]) return printf("FAIL %d %d\n", x, y), 1;
    }
  return puts("PASS"), 0;
}
