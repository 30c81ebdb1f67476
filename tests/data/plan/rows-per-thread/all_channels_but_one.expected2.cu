// kernel=convolve line=19 finding=KO108
#include <cuda_runtime.h>

// NCHW, 3 x 3, "same" padding
__global__ void convolve(const float *x, const float *w, const float *bias, float *y, int C, int K, int H, int W)
{
  int ow = blockIdx.x * blockDim.x + threadIdx.x;
  int first_oh = (blockIdx.y * blockDim.y + threadIdx.y) * 2;
  int k = blockIdx.z;
  if (ow >= W || first_oh >= H) return;

  float acc[2];
  #pragma unroll
  for (int q = 0; q < 2; q++)
    acc[q] = bias[k];
  for (int c = 0; c < C; c++) {
    float x_window[4][3];
    bool is_inside[4][3];
    #pragma unroll
    for (int r = 0; r < 4; r++) {
      #pragma unroll
      for (int s = 0; s < 3; s++) {
        int iw = ow + s - 1;
        int ih = first_oh + r - 1;
        is_inside[r][s] = ih >= 0 && ih < H && iw >= 0 && iw < W && first_oh + r < H + 2;
        if (is_inside[r][s])
          x_window[r][s] = x[(c * H + ih) * W + iw];
      }
    }
    #pragma unroll
    for (int r = 0; r < 3; r++) {
      #pragma unroll
      for (int s = 0; s < 3; s++) {
        float w_value = {};
        bool is_used = false;
        #pragma unroll
        for (int q = 0; q < 2; q++) {
          const int oh = first_oh + q;
          is_used |= oh < H && is_inside[r + q][s];
        }
        if (is_used)
          w_value = w[((k * C + c) * 3 + r) * 3 + s];
        #pragma unroll
        for (int q = 0; q < 2; q++) {
          if (is_inside[r + q][s])
            acc[q] += x_window[r + q][s] * w_value;
        }
      }
    }
  }
  #pragma unroll
  for (int q = 0; q < 2; q++) {
    const int oh = first_oh + q;
    if (oh < H)
      y[(k * H + oh) * W + ow] = acc[q];
  }
}

void run(const float *x, const float *w, const float *bias, float *y, int C, int K, int H, int W)
{
  dim3 block(16, 16);
  dim3 grid((W + 15) / 16, (H + 31) / 32, K - 1);
  convolve<<<grid, block>>>(x, w, bias, y, C, K, H, W);
}
