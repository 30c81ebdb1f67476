// kernel=convolve line=31 finding=KO108
#include <cuda_runtime.h>

template <typename T>
__global__ void convolve(const T *x, const T *w, const T *bias, T *y, int C, int K, int H, int W)
{
  int ow = blockIdx.x * blockDim.x + threadIdx.x;
  int first_oh = (blockIdx.y * blockDim.y + threadIdx.y) * 4;
  const int first_k = blockIdx.z * 4;
  int k[4];
  #pragma unroll
  for (int p = 0; p < 4; p++)
    k[p] = min(first_k + p, K - 1);
  if (ow >= W || first_oh >= H) return;

  T acc[4][4];
  #pragma unroll
  for (int p = 0; p < 4; p++) {
    #pragma unroll
    for (int q = 0; q < 4; q++)
      acc[q][p] = bias[k[p]];
  }
  for (int c = 0; c < C; c++) {
    T x_window[6][3];
    bool is_inside[6][3];
    #pragma unroll
    for (int r = 0; r < 6; r++) {
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
        T w_value[4] = {};
        bool is_used = false;
        #pragma unroll
        for (int q = 0; q < 4; q++) {
          const int oh = first_oh + q;
          is_used |= oh < H && is_inside[r + q][s];
        }
        if (is_used) {
          #pragma unroll
          for (int p = 0; p < 4; p++)
            w_value[p] = w[((k[p] * C + c) * 3 + r) * 3 + s];
        }
        #pragma unroll
        for (int q = 0; q < 4; q++) {
          if (is_inside[r + q][s]) {
            #pragma unroll
            for (int p = 0; p < 4; p++)
              acc[q][p] += x_window[r + q][s] * w_value[p];
          }
        }
      }
    }
  }
  #pragma unroll
  for (int q = 0; q < 4; q++) {
    const int oh = first_oh + q;
    if (oh < H) {
      #pragma unroll
      for (int p = 0; p < 4; p++)
        y[(k[p] * H + oh) * W + ow] = acc[q][p];
    }
  }
}

void run(const float *x, const float *w, const float *bias, float *y, int C, int K, int H, int W)
{
  convolve<float><<<dim3((W + 15) / 16, (H + 63) / 64, (K + 3) / 4), dim3(16, 16)>>>(x, w, bias, y, C, K, H, W);
}
