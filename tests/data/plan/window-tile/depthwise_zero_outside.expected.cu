// kernel=depthwise line=14 finding=KO108
#include <cstdio>

template <int K>
__global__ void depthwise(const float* __restrict__ img, const float* __restrict__ wgt, float* __restrict__ out, int H, int W)
{
  const int w = threadIdx.x + blockIdx.x * blockDim.x;
  const int h = threadIdx.y + blockIdx.y * blockDim.y;
  const int c = blockIdx.z;
  __shared__ float img_tile[8 + K - 1][32 + K - 1];
  for (int cell = threadIdx.y * 32 + threadIdx.x; cell < (8 + K - 1) * (32 + K - 1); cell += 256) {
    const int row = cell / (32 + K - 1), col = cell % (32 + K - 1);
    const int hh = row + blockIdx.y * blockDim.y - K / 2;
    const int ww = col + blockIdx.x * blockDim.x - K / 2;
    img_tile[row][col] = (hh >= 0 && hh < H && ww >= 0 && ww < W) ? img[(c * H + hh) * W + ww] : 0.f;
  }
  __shared__ float wgt_table[K][K];
  for (int tap = threadIdx.y * 32 + threadIdx.x; tap < K * K; tap += 256) {
    const int i = tap / K, j = tap % K;
    wgt_table[i][j] = wgt[(c * K + i) * K + j];
  }
  __syncthreads();
  if (h < H && w < W) {
    float s = 0.f;
    #pragma unroll
    for (int i = 0; i < K; ++i)
      for (int j = 0; j < K; ++j) {
        float v = img_tile[threadIdx.y + i][threadIdx.x + j];
        s += v * wgt_table[i][j];
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
