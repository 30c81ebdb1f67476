// kernel=dilate line=16 finding=KO108
#include <cuda_runtime.h>

__global__ void dilate(const float *src, float *dst, int w, int h)
{
  const int px = blockIdx.x * blockDim.x + threadIdx.x;
  const int py = blockIdx.y * blockDim.y + threadIdx.y;
  if (px < w && py < h)
  {
    float largest = -1e30f;
    for (int v = 0; v < 7; v++)
    {
      int sy = py + v - 3;
      if (sy >= 0 && sy < h)
      {
        largest = fmaxf(largest, src[sy * w + px]);
      }
    }
    dst[py * w + px] = largest;
  }
}

void run(const float *src, float *dst, int w, int h)
{
  dim3 threads(32, 8), blocks((w + 31) / 32, (h + 7) / 8);
  dilate<<<blocks, threads>>>(src, dst, w, h);
}
