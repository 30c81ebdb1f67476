// Wrong: lanes of a warp hand values over through global memory, and nothing orders them.
#include <cstdio>
#include <vector>

constexpr int COLS = 80;

__global__ void votes(float *sums, int *positive, const float *in) {
  int t = threadIdx.x, lane = t % 32, warp = blockIdx.x * 3 + t / 32;
  float v = in[blockIdx.x * COLS + t];
  unsigned lanes = t < 64 ? 0xffffffffu : 0x0000ffffu;
  for (int step = t < 64 ? 16 : 8; step > 0; step /= 2) v += __shfl_down_sync(lanes, v, step);
  if (lane == 0) {
    sums[warp] = v;
    positive[warp] = 0;
  }
  unsigned found = __ballot_sync(lanes, in[blockIdx.x * COLS + t] > 0.0f);
  if (lane == 1) positive[warp] = __popc(found & 0xffffu);
  if (lane == 2) positive[warp] += __popc(found >> 16);
}

int main() {
  const int rows = 40, n = rows * COLS;
  std::vector<float> host(n), sum(rows * 3);
  std::vector<int> count(rows * 3);
  for (int i = 0; i < n; i++) host[i] = (i * 47 % 103) * 0.5f - 21.0f;
  float *in, *sums;
  int *positive;
  cudaMalloc(&in, n * sizeof(float));
  cudaMalloc(&sums, sum.size() * sizeof(float));
  cudaMalloc(&positive, count.size() * sizeof(int));
  cudaMemcpy(in, host.data(), n * sizeof(float), cudaMemcpyHostToDevice);
  votes<<<rows, COLS>>>(sums, positive, in);
  cudaMemcpy(sum.data(), sums, sum.size() * sizeof(float), cudaMemcpyDeviceToHost);
  cudaMemcpy(count.data(), positive, count.size() * sizeof(int), cudaMemcpyDeviceToHost);
  for (size_t i = 0; i < sum.size(); i += 7) std::printf("%.3f %d ", sum[i], count[i]);
  cudaFree(in);
  cudaFree(sums);
  cudaFree(positive);
}
