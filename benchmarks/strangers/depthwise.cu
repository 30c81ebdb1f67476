#include <cstdio>
#include <cstdlib>
#include <vector>
template <int K>
__global__ void depthwise(const float* __restrict__ img, const float* __restrict__ wgt, float* __restrict__ out, int C, int H, int W)
{
  const int w = threadIdx.x + blockIdx.x * blockDim.x;
  const int h = threadIdx.y + blockIdx.y * blockDim.y;
  const int c = blockIdx.z;
  if (h < H && w < W) {
    float s = 0.f;
#pragma unroll
    for (int i = 0; i < K; ++i)
      for (int j = 0; j < K; ++j) {
        int hh = h + i - K / 2, ww = w + j - K / 2;
        float v = (hh >= 0 && hh < H && ww >= 0 && ww < W) ? img[(c * H + hh) * W + ww] : 0.f;
        s += v * wgt[(c * K + i) * K + j];
      }
    out[(c * H + h) * W + w] = s > 0 ? s : 0.01f * s;
  }
}
static int up(int a, int b) { return (a + b - 1) / b; }
int main(int argc, char** argv)
{
  int C = 4, H = argc > 1 ? atoi(argv[1]) : 45, W = argc > 2 ? atoi(argv[2]) : 67;
  std::vector<float> x(C * H * W), k(C * 25), y(C * H * W);
  for (size_t i = 0; i < x.size(); ++i) x[i] = float(i % 23) - 11;
  for (size_t i = 0; i < k.size(); ++i) k[i] = 0.1f * float(i % 5) - 0.2f;
  float *dx, *dk, *dy;
  cudaMalloc(&dx, x.size() * 4); cudaMalloc(&dk, k.size() * 4); cudaMalloc(&dy, y.size() * 4);
  cudaMemcpy(dx, x.data(), x.size() * 4, cudaMemcpyHostToDevice);
  cudaMemcpy(dk, k.data(), k.size() * 4, cudaMemcpyHostToDevice);
  depthwise<5><<<dim3(up(W, 32), up(H, 8), C), dim3(32, 8)>>>(dx, dk, dy, C, H, W);
  cudaMemcpy(y.data(), dy, y.size() * 4, cudaMemcpyDeviceToHost);
  double s = 0; for (float v : y) s += v; printf("%.3f\n", s);
}
