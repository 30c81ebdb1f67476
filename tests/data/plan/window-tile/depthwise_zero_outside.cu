// kernel=depthwise line=14 finding=KO108
#include <cstdio>

template <int K>
__global__ void depthwise(const float* __restrict__ img, const float* __restrict__ wgt, float* __restrict__ out, int H, int W)
{
  const int w = threadIdx.x + blockIdx.x * blockDim.x;
  const int h = threadIdx.y + blockIdx.y * blockDim.y;
  const int c = blockIdx.z;
  if (h < H && w < W) {
    float s = 0.f;
    for (int i = 0; i < K; ++i)
      for (int j = 0; j < K; ++j) {
        int hh = h + i - K / 2, ww = w + j - K / 2;
        float v = (hh >= 0 && hh < H && ww >= 0 && ww < W) ? img[(c * H + hh) * W + ww] : 0.f;
        s += v * wgt[(c * K + i) * K + j];
      }
    out[(c * H + h) * W + w] = s;
  }
}

int main()
{
  const int C = 3, H = 13, W = 37;
  float *img, *wgt, *out;
  cudaMallocManaged(&img, C * H * W * sizeof(float));
  cudaMallocManaged(&wgt, C * 25 * sizeof(float));
  cudaMallocManaged(&out, C * H * W * sizeof(float));
  for (int i = 0; i < C * H * W; ++i) img[i] = i % 23 - 11;
  for (int i = 0; i < C * 25; ++i) wgt[i] = 0.25f * (i % 5) - 0.5f;
  depthwise<5><<<dim3((W + 31) / 32, (H + 7) / 8, C), dim3(32, 8)>>>(img, wgt, out, H, W);
  cudaDeviceSynchronize();
  double sum = 0;
  for (int i = 0; i < C * H * W; ++i) sum += out[i] * (i % 5 + 1);
  printf("%.3f\n", sum);
  return 0;
}
