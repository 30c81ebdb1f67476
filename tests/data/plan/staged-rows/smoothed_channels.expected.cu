// kernel=smooth line=16 finding=KO101
#include <cstdio>
#include <vector>

namespace dsp {

constexpr int kThreads = 96;

// first-order low-pass filter along each channel
__global__ void smooth(const float* __restrict__ in, float* __restrict__ out, int channels, int samples, float alpha) {
  const int c = blockIdx.x * kThreads + threadIdx.x;
  const bool isInside = c < channels;
  float state = isInside ? in[c * samples] : 0.0f;
  if (isInside) out[c * samples] = state;
  __shared__ float inTile[96][33];
  __shared__ float outTile[96][33];
  const int lane = threadIdx.x % 32, firstThread = threadIdx.x - lane, firstRow = c - lane;
  for (int tile = 1; tile < samples; tile += 32) {
    if (tile + lane < samples) {
      const float *inColumn = in + firstRow * samples + tile + lane;
      #pragma unroll
      for (int r = 0; r < 32; ++r)
        if (firstRow + r < channels)
          inTile[firstThread + r][lane] = inColumn[r * samples];
    }
    __syncwarp();
    const int stop = isInside ? min(tile + 32, samples) : tile;
    for (int s = tile; s < stop; ++s) {
      state += alpha * (inTile[threadIdx.x][s - tile] - state);
      outTile[threadIdx.x][s - tile] = state;
    }
    __syncwarp();
    if (tile + lane < samples) {
      float *outColumn = out + firstRow * samples + tile + lane;
      #pragma unroll
      for (int r = 0; r < 32; ++r)
        if (firstRow + r < channels)
          outColumn[r * samples] = outTile[firstThread + r][lane];
    }
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
