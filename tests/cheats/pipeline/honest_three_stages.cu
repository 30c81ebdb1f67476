// Honest: two tiles are under way while a third is worked on; one barrier a tile, as a stage is filled anew one tile after its use.
#include <cstdio>
#include <cuda_pipeline.h>
#include <vector>

constexpr int TILE = 128, TILES = 6;

__global__ void centre(float *out, const float *in, int tiles) {
  constexpr int STAGES = 3;
  __shared__ float stage[STAGES][TILE];
  int t = threadIdx.x;
  const float *mine = in + blockIdx.x * tiles * TILE;
  auto fetch = [&](int k) {
    if (k < tiles) __pipeline_memcpy_async(&stage[k % STAGES][t], &mine[k * TILE + t], sizeof(float));
    __pipeline_commit();
  };
  fetch(0);
  fetch(1);
  for (int k = 0; k < tiles; k++) {
    __pipeline_wait_prior(STAGES - 2);
    __syncthreads();
    fetch(k + 2);
    const float *tile = stage[k % STAGES];
    float sum = 0.0f;
    for (int i = 0; i < TILE; i++) sum += tile[i];
    out[(blockIdx.x * tiles + k) * TILE + t] = tile[t] - sum / TILE;
  }
}

int main() {
  const int blocks = 3, n = blocks * TILES * TILE;
  std::vector<float> host(n);
  for (int i = 0; i < n; i++) host[i] = (i * 37 % 101) * 0.25f - 9.0f;
  float *in, *out;
  cudaMalloc(&in, n * sizeof(float));
  cudaMalloc(&out, n * sizeof(float));
  cudaMemcpy(in, host.data(), n * sizeof(float), cudaMemcpyHostToDevice);
  centre<<<blocks, TILE>>>(out, in, TILES);
  cudaMemcpy(host.data(), out, n * sizeof(float), cudaMemcpyDeviceToHost);
  for (int i = 0; i < n; i += 61) std::printf("%.4f ", host[i]);
  cudaFree(in);
  cudaFree(out);
}
