// Wrong: the block synchronises where it had to wait.
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cstdio>
#include <vector>

constexpr int TILE = 128, TILES = 6;

__global__ void centre(float *out, const float *in, int tiles) {
  __shared__ float tile[TILE];
  auto block = cooperative_groups::this_thread_block();
  int t = block.thread_rank();
  const float *mine = in + blockIdx.x * tiles * TILE;
  for (int k = 0; k < tiles; k++) {
    cooperative_groups::memcpy_async(block, tile, mine + k * TILE, sizeof tile);
    block.sync();
    float sum = 0.0f;
    for (int i = 0; i < TILE; i++) sum += tile[i];
    out[(blockIdx.x * tiles + k) * TILE + t] = tile[t] - sum / TILE;
    block.sync();
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
