// The original: each element minus the mean of its tile, tile after tile, loaded by the threads themselves.
#include <cstdio>
#include <vector>

constexpr int TILE = 128, TILES = 6;

__global__ void centre(float *out, const float *in, int tiles) {
  __shared__ float tile[TILE];
  int t = threadIdx.x;
  const float *mine = in + blockIdx.x * tiles * TILE;
  for (int k = 0; k < tiles; k++) {
    tile[t] = mine[k * TILE + t];
    __syncthreads();
    float sum = 0.0f;
    for (int i = 0; i < TILE; i++) sum += tile[i];
    out[(blockIdx.x * tiles + k) * TILE + t] = tile[t] - sum / TILE;
    __syncthreads();
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
