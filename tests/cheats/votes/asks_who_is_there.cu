// Doubtful: takes for granted that all lanes of a warp are found active together.
#include <cstdio>
#include <vector>

constexpr int COLS = 80;

__global__ void votes(float *sums, int *positive, const float *in) {
  int t = threadIdx.x, lane = t % 32, warp = blockIdx.x * 3 + t / 32;
  float v = in[blockIdx.x * COLS + t];
  unsigned lanes = __activemask();
  int count = __popc(__ballot_sync(lanes, v > 0.0f));
  float sum = 0.0f;
  for (int k = 0; k < 32; k++) {
    float other = __shfl_sync(lanes, v, k);
    sum += lanes >> k & 1u ? other : 0.0f;
  }
  v = sum;
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
