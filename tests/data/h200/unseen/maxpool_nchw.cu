// Max pooling forward (with argmax mask) and average-pool, caffe style.
#include <cstdio>
#include <cfloat>
#include <cmath>
#include <vector>
#include <algorithm>
#include <cuda_runtime.h>

#define CUDA_KERNEL_LOOP(i, n) \
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < (n); i += blockDim.x * gridDim.x)

template <typename Dtype>
__global__ void MaxPoolForward(const int nthreads, const Dtype* const bottom_data, const int channels,
    const int height, const int width, const int pooled_height, const int pooled_width,
    const int kernel, const int stride, const int pad, Dtype* const top_data, int* mask)
{
  CUDA_KERNEL_LOOP(index, nthreads) {
    const int pw = index % pooled_width;
    const int ph = (index / pooled_width) % pooled_height;
    const int c = (index / pooled_width / pooled_height) % channels;
    const int n = index / pooled_width / pooled_height / channels;
    int hstart = ph * stride - pad;
    int wstart = pw * stride - pad;
    const int hend = min(hstart + kernel, height);
    const int wend = min(wstart + kernel, width);
    hstart = max(hstart, 0);
    wstart = max(wstart, 0);
    Dtype maxval = -FLT_MAX;
    int maxidx = -1;
    const Dtype* const bottom_slice = bottom_data + (n * channels + c) * height * width;
    for (int h = hstart; h < hend; ++h) {
      for (int w = wstart; w < wend; ++w) {
        if (bottom_slice[h * width + w] > maxval) {
          maxidx = h * width + w;
          maxval = bottom_slice[maxidx];
        }
      }
    }
    top_data[index] = maxval;
    mask[index] = maxidx;
  }
}

__global__ void AvgPool2x2(const float* in, float* out, int C, int H, int W)
{
  int ow = threadIdx.x + blockIdx.x * blockDim.x, oh = threadIdx.y + blockIdx.y * blockDim.y, c = blockIdx.z;
  if (ow >= W / 2 || oh >= H / 2) return;
  const float2* r0 = reinterpret_cast<const float2*>(in + (c * H + 2 * oh) * W);
  const float2* r1 = reinterpret_cast<const float2*>(in + (c * H + 2 * oh + 1) * W);
  float2 a = r0[ow], b = r1[ow];
  out[(c * (H / 2) + oh) * (W / 2) + ow] = 0.25f * (a.x + a.y + b.x + b.y);
}

int main()
{
  const int N = 2, C = 5, H = 54, W = 58, K = 3, S = 2, P = 1;
  const int PH = (H + 2 * P - K) / S + 1, PW = (W + 2 * P - K) / S + 1;
  std::vector<float> in(N * C * H * W), out(N * C * PH * PW), avg(N * C * (H / 2) * (W / 2));
  std::vector<int> mask(out.size());
  for (size_t i = 0; i < in.size(); ++i) in[i] = (float)((i * 2654435761u) >> 20 & 4095) - 2048;
  float *di, *dout, *da; int* dm;
  cudaMalloc(&di, in.size() * sizeof(float));
  cudaMalloc(&dout, out.size() * sizeof(float));
  cudaMalloc(&da, avg.size() * sizeof(float));
  cudaMalloc(&dm, mask.size() * sizeof(int));
  cudaMemcpy(di, in.data(), in.size() * sizeof(float), cudaMemcpyHostToDevice);
  int count = (int)out.size();
  MaxPoolForward<float><<<12, 256>>>(count, di, C, H, W, PH, PW, K, S, P, dout, dm);
  AvgPool2x2<<<dim3((W / 2 + 15) / 16, (H / 2 + 3) / 4, N * C), dim3(16, 4)>>>(di, da, N * C, H, W);
  cudaMemcpy(out.data(), dout, out.size() * sizeof(float), cudaMemcpyDeviceToHost);
  cudaMemcpy(mask.data(), dm, mask.size() * sizeof(int), cudaMemcpyDeviceToHost);
  cudaMemcpy(avg.data(), da, avg.size() * sizeof(float), cudaMemcpyDeviceToHost);
  bool ok = cudaGetLastError() == cudaSuccess;
  for (int nc = 0; nc < N * C; ++nc) {
    const float* s = &in[nc * H * W];
    for (int y = 0; y < PH; ++y)
      for (int x = 0; x < PW; ++x) {
        float m = -FLT_MAX;
        for (int h = std::max(0, y * S - P); h < std::min(H, y * S - P + K); ++h)
          for (int w = std::max(0, x * S - P); w < std::min(W, x * S - P + K); ++w) m = std::max(m, s[h * W + w]);
        int o = (nc * PH + y) * PW + x;
        if (out[o] != m || mask[o] < 0 || mask[o] >= H * W || s[mask[o]] != m) ok = false;
      }
    for (int y = 0; y < H / 2; ++y)
      for (int x = 0; x < W / 2; ++x) {
        float e = 0.25f * (s[2 * y * W + 2 * x] + s[2 * y * W + 2 * x + 1] + s[(2 * y + 1) * W + 2 * x] + s[(2 * y + 1) * W + 2 * x + 1]);
        if (fabsf(e - avg[(nc * (H / 2) + y) * (W / 2) + x]) > 1e-2f) ok = false;
      }
  }
  printf("maxpool_nchw %s\n", ok ? "PASS" : "FAIL");
  return ok ? 0 : 1;
}
