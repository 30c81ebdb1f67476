// Doubtful: relies on lanes that run in step, as they did before they could run apart.
#include <cstdio>
#include <vector>

constexpr int COLS = 80;

__global__ void votes(float *sums, int *positive, const float *in) {
  __shared__ volatile float tile[96];
  __shared__ volatile int ones[96];
  int t = threadIdx.x, lane = t % 32, warp = blockIdx.x * 3 + t / 32;
  float v = in[blockIdx.x * COLS + t];
  tile[t] = v;
  ones[t] = v > 0.0f;
  if (t < 16) {
    tile[COLS + t] = 0.0f;
    ones[COLS + t] = 0;
  }
  __syncthreads();
  if (lane < 16) {
    for (int step = 16; step > 0; step /= 2) {
      tile[t] += tile[t + step];
      ones[t] += ones[t + step];
    }
  }
  if (lane == 0) {
    sums[warp] = tile[t];
    positive[warp] = ones[t];
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
