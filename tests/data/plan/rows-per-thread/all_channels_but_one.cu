// kernel=convolve line=19 finding=KO108
#include <cuda_runtime.h>

// NCHW, 3 x 3, "same" padding
__global__ void convolve(const float *x, const float *w, const float *bias, float *y, int C, int K, int H, int W)
{
  int ow = blockIdx.x * blockDim.x + threadIdx.x;
  int oh = blockIdx.y * blockDim.y + threadIdx.y;
  int k = blockIdx.z;
  if (ow >= W || oh >= H) return;

  float acc = bias[k];
  for (int c = 0; c < C; c++) {
    for (int r = 0; r < 3; r++) {
      for (int s = 0; s < 3; s++) {
        int ih = oh + r - 1;
        int iw = ow + s - 1;
        if (ih >= 0 && ih < H && iw >= 0 && iw < W)
          acc += x[(c * H + ih) * W + iw] * w[((k * C + c) * 3 + r) * 3 + s];
      }
    }
  }
  y[(k * H + oh) * W + ow] = acc;
}

void run(const float *x, const float *w, const float *bias, float *y, int C, int K, int H, int W)
{
  dim3 block(16, 16);
  dim3 grid((W + 15) / 16, (H + 15) / 16, K - 1);
  convolve<<<grid, block>>>(x, w, bias, y, C, K, H, W);
}
