// kernel=dilate line=16 finding=KO108
#include <cuda_runtime.h>

__global__ void dilate(const float *src, float *dst, int w, int h)
{
  const int px = blockIdx.x * blockDim.x + threadIdx.x;
  const int first_py = (blockIdx.y * blockDim.y + threadIdx.y) * 4;
  if (px < w && first_py < h)
  {
    float largest[4];
    #pragma unroll
    for (int q = 0; q < 4; q++)
      largest[q] = -1e30f;
    float src_window[10];
    bool is_inside[10];
    #pragma unroll
    for (int v = 0; v < 10; v++)
    {
      int sy = first_py + v - 3;
      is_inside[v] = sy >= 0 && sy < h && first_py + v < h + 6;
      if (is_inside[v])
        src_window[v] = src[sy * w + px];
    }
    #pragma unroll
    for (int v = 0; v < 7; v++)
    {
      #pragma unroll
      for (int q = 0; q < 4; q++)
      {
        if (is_inside[v + q])
          largest[q] = fmaxf(largest[q], src_window[v + q]);
      }
    }
    #pragma unroll
    for (int q = 0; q < 4; q++)
    {
      const int py = first_py + q;
      if (py < h)
        dst[py * w + px] = largest[q];
    }
  }
}

void run(const float *src, float *dst, int w, int h)
{
  dim3 threads(32, 8), blocks((w + 31) / 32, (h + 31) / 32);
  dilate<<<blocks, threads>>>(src, dst, w, h);
}
