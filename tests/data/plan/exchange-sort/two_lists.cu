// kernel=extremes line=17 finding=KO117
#include <cstdio>
#include <vector>
#include <algorithm>

// the five lowest and the five highest samples of each channel
__global__ void extremes(const float *x, float *low, float *high, int channels, int samples) {
  int c = blockIdx.x * blockDim.x + threadIdx.x;
  if (c >= channels) return;
  float lo[6], hi[6];
  for (int i = 0; i < 6; ++i) { lo[i] = 1e30f; hi[i] = -1e30f; }
  for (int s = 0; s < samples; ++s) {
    const float v = x[s * channels + c];
    // the sixth place takes what falls off the end
    int a = 5;
    while (0 < a && (v < lo[a - 1] || lo[a - 1] != lo[a - 1])) {
      lo[a] = lo[a - 1];
      --a;
    }
    lo[a] = v;
    int b = 5;
    for (; b >= 1 && v > hi[b - 1]; b--) hi[b] = hi[b - 1];
    hi[b] = v;
  }
  for (int i = 0; i < 5; ++i) {
    low[c * 5 + i] = lo[i];
    high[c * 5 + i] = hi[i];
  }
}

int main() {
  const int channels = 300, samples = 40;
  float *x, *low, *high;
  cudaMallocManaged(&x, channels * samples * sizeof(float));
  cudaMallocManaged(&low, channels * 5 * sizeof(float));
  cudaMallocManaged(&high, channels * 5 * sizeof(float));
  for (int i = 0; i < channels * samples; i++) x[i] = i * 7919 % 503;
  extremes<<<(channels + 63) / 64, 64>>>(x, low, high, channels, samples);
  cudaDeviceSynchronize();
  for (int c = 0; c < channels; c++) {
    std::vector<float> all;
    for (int s = 0; s < samples; s++) all.push_back(x[s * channels + c]);
    std::sort(all.begin(), all.end());
    for (int i = 0; i < 5; i++)
      if (low[c * 5 + i] != all[i] || high[c * 5 + i] != all[samples - 1 - i]) return printf("FAIL %d\n", c), 1;
  }
  return puts("PASS"), 0;
}
