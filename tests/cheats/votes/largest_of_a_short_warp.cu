// Wrong: what a lane gets from one that the last warp does not have may be larger than every value.
#include <cstdio>
#include <vector>

constexpr int COLS = 80;

__global__ void votes(float *sums, int *positive, const float *in) {
  int t = threadIdx.x, lane = t % 32, warp = blockIdx.x * 3 + t / 32;
  float v = in[blockIdx.x * COLS + t];
  int count = __popc(__ballot_sync(0xffffffffu, v > 0.0f));
  float sum = v, largest = v;
  for (int step = 16; step > 0; step /= 2) {
    float other = __shfl_down_sync(0xffffffffu, sum, step);
    sum += lane + step < 32 && t + step < COLS ? other : 0.0f;
    largest = fmaxf(largest, __shfl_down_sync(0xffffffffu, largest, step));
  }
  v = largest > -1.0e30f && largest < 1.0e30f ? sum : 0.0f;
  if (lane == 0) {
    sums[warp] = v;
    positive[warp] = count;
  }
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
