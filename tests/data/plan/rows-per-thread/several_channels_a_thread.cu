// kernel=convolve line=31 finding=KO108
#include <cuda_runtime.h>

template <typename T>
__global__ void convolve(const T *x, const T *w, const T *bias, T *y, int C, int K, int H, int W)
{
  int ow = blockIdx.x * blockDim.x + threadIdx.x;
  int oh = blockIdx.y * blockDim.y + threadIdx.y;
  const int first_k = blockIdx.z * 4;
  int k[4];
  #pragma unroll
  for (int p = 0; p < 4; p++)
    k[p] = min(first_k + p, K - 1);
  if (ow >= W || oh >= H) return;

  T acc[4];
  #pragma unroll
  for (int p = 0; p < 4; p++)
    acc[p] = bias[k[p]];
  for (int c = 0; c < C; c++) {
    #pragma unroll
    for (int r = 0; r < 3; r++) {
      #pragma unroll
      for (int s = 0; s < 3; s++) {
        int ih = oh + r - 1;
        int iw = ow + s - 1;
        if (ih < 0 || ih >= H || iw < 0 || iw >= W)
          continue;
        #pragma unroll
        for (int p = 0; p < 4; p++)
          acc[p] += x[(c * H + ih) * W + iw] * w[((k[p] * C + c) * 3 + r) * 3 + s];
      }
    }
  }
  #pragma unroll
  for (int p = 0; p < 4; p++)
    y[(k[p] * H + oh) * W + ow] = acc[p];
}

void run(const float *x, const float *w, const float *bias, float *y, int C, int K, int H, int W)
{
  convolve<float><<<dim3((W + 15) / 16, (H + 15) / 16, (K + 3) / 4), dim3(16, 16)>>>(x, w, bias, y, C, K, H, W);
}
