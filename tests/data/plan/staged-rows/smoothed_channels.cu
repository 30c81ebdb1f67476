// kernel=smooth line=16 finding=KO101
#include <cstdio>
#include <vector>

namespace dsp {

constexpr int kThreads = 96;

// first-order low-pass filter along each channel
__global__ void smooth(const float* __restrict__ in, float* __restrict__ out, int channels, int samples, float alpha) {
  const int c = blockIdx.x * kThreads + threadIdx.x;
  if (c >= channels) return;
  float state = in[c * samples];
  out[c * samples] = state;
  for (int s = 1; s < samples; ++s) {
    state += alpha * (in[c * samples + s] - state);
    out[c * samples + s] = state;
  }
}

}  // namespace dsp

int main() {
  const int channels = 200, samples = 333;
  std::vector<float> h(channels * samples);
  for (size_t i = 0; i < h.size(); ++i) h[i] = float((i * 13) % 97) / 97.0f;
  float *in, *out;
  cudaMalloc(&in, h.size() * sizeof(float));
  cudaMalloc(&out, h.size() * sizeof(float));
  cudaMemcpy(in, h.data(), h.size() * sizeof(float), cudaMemcpyHostToDevice);
  dsp::smooth<<<(channels + dsp::kThreads - 1) / dsp::kThreads, dsp::kThreads>>>(in, out, channels, samples, 0.2f);
  cudaMemcpy(h.data(), out, h.size() * sizeof(float), cudaMemcpyDeviceToHost);
  double sum = 0;
  for (size_t i = 0; i < h.size(); ++i) sum += h[i] * (i % 3);
  printf("%.5f\n", sum);
  cudaFree(in);
  cudaFree(out);
}
