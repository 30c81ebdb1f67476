// Asynchronous copies into shared memory, awaited too late, too weakly or not at all, and correct twins. argv[1] chooses the kernel; the
// comment at a line's end names the problem that must be reported there. Prints the CUDA error and how many results are wrong.
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cuda_pipeline.h>

#include <cstdio>
#include <cstring>

namespace cg = cooperative_groups;
constexpr int BLOCK = 64, TILES = 6, N = BLOCK * TILES;

// All write to out[i] the sum of in[i] and of the element that mirrors it in its tile.
__global__ void no_wait(float* out, const float* in) {
  __shared__ float tile[BLOCK];
  int t = threadIdx.x, i = blockIdx.x * BLOCK + t;
  __pipeline_memcpy_async(&tile[t], &in[i], sizeof(float));
  __pipeline_commit();
  __syncthreads();
  out[i] = tile[t] + tile[BLOCK - 1 - t];  // async_copy_not_awaited
}
__global__ void own_no_wait(float* out, const float* in) {
  __shared__ float tile[BLOCK];
  int t = threadIdx.x, i = blockIdx.x * BLOCK + t;
  __pipeline_memcpy_async(&tile[t], &in[i], sizeof(float));
  __pipeline_commit();
  float own = tile[t];  // async_copy_not_awaited
  __pipeline_wait_prior(0);
  __syncthreads();
  out[i] = own + tile[BLOCK - 1 - t];
}
__global__ void not_committed(float* out, const float* in) {
  __shared__ float tile[BLOCK];
  int t = threadIdx.x, i = blockIdx.x * BLOCK + t;
  __pipeline_memcpy_async(&tile[t], &in[i], sizeof(float));
  __pipeline_wait_prior(0);
  __syncthreads();
  out[i] = tile[t] + tile[BLOCK - 1 - t];  // async_copy_not_awaited
}
__global__ void weak_wait(float* out, const float* in) {  // two stages, but waits as if there were three
  __shared__ float stage[2][BLOCK];
  int t = threadIdx.x;
  __pipeline_memcpy_async(&stage[0][t], &in[t], sizeof(float));
  __pipeline_commit();
  for (int k = 0; k < TILES; k++) {
    if (k + 1 < TILES) __pipeline_memcpy_async(&stage[(k + 1) % 2][t], &in[(k + 1) * BLOCK + t], sizeof(float));
    __pipeline_commit();
    __pipeline_wait_prior(2);
    __syncthreads();
    out[k * BLOCK + t] = stage[k % 2][t] + stage[k % 2][BLOCK - 1 - t];  // async_copy_not_awaited
    __syncthreads();
  }
}
__global__ void last_tile_not_awaited(float* out, const float* in) {  // commits nothing for the tile that does not exist
  __shared__ float stage[2][BLOCK];
  int t = threadIdx.x;
  __pipeline_memcpy_async(&stage[0][t], &in[t], sizeof(float));
  __pipeline_commit();
  for (int k = 0; k < TILES; k++) {
    if (k + 1 < TILES) {
      __pipeline_memcpy_async(&stage[(k + 1) & 1][t], &in[(k + 1) * BLOCK + t], sizeof(float));
      __pipeline_commit();
    }
    __pipeline_wait_prior(1);
    __syncthreads();
    float* tile = stage[k & 1];
    out[k * BLOCK + t] = tile[t] + tile[BLOCK - 1 - t];  // async_copy_not_awaited
    __syncthreads();
  }
}
__global__ void no_barrier_behind_the_wait(float* out, const float* in) {
  __shared__ float tile[BLOCK];
  int t = threadIdx.x, i = blockIdx.x * BLOCK + t;
  __pipeline_memcpy_async(&tile[t], &in[i], sizeof(float));
  __pipeline_commit();
  __pipeline_wait_prior(0);
  out[i] = tile[t] + tile[BLOCK - 1 - t];  // shared_race
}
__global__ void barrier_before_the_wait(float* out, const float* in) {
  __shared__ float tile[BLOCK];
  int t = threadIdx.x, i = blockIdx.x * BLOCK + t;
  __pipeline_memcpy_async(&tile[t], &in[i], sizeof(float));
  __pipeline_commit();
  __syncthreads();
  __pipeline_wait_prior(0);
  out[i] = tile[t] + tile[BLOCK - 1 - t];  // shared_race
}
__global__ void stage_reused_too_early(float* out, const float* in) {  // no barrier behind the reads
  __shared__ float stage[2][BLOCK];
  int t = threadIdx.x;
  __pipeline_memcpy_async(&stage[0][t], &in[t], sizeof(float));
  __pipeline_commit();
  for (int k = 0; k < TILES; k++) {
    __pipeline_wait_prior(0);
    __syncthreads();
    out[k * BLOCK + t] = stage[0][t] + stage[0][BLOCK - 1 - t];
    if (k + 1 < TILES) __pipeline_memcpy_async(&stage[0][t], &in[(k + 1) * BLOCK + t], sizeof(float));  // shared_race
    __pipeline_commit();
  }
}
__global__ void source_overwritten(float* out, float* in) {
  __shared__ float tile[BLOCK];
  int t = threadIdx.x, i = blockIdx.x * BLOCK + t;
  __pipeline_memcpy_async(&tile[t], &in[i], sizeof(float));  // async_source_overwritten
  __pipeline_commit();
  in[i] = -1.0f;
  __pipeline_wait_prior(0);
  __syncthreads();
  out[i] = tile[t] + tile[BLOCK - 1 - t];
}
__global__ void destination_cleared(float* out, const float* in) {
  __shared__ float tile[BLOCK + 1];
  int t = threadIdx.x, i = blockIdx.x * BLOCK + t;
  __pipeline_memcpy_async(&tile[t], &in[i], sizeof(float));
  __pipeline_commit();
  tile[t] = 0.0f;  // async_copy_not_awaited
  __pipeline_wait_prior(0);
  __syncthreads();
  out[i] = tile[t] + tile[BLOCK - 1 - t];
}
__global__ void group_not_awaited(float* out, const float* in) {
  __shared__ float tile[BLOCK];
  auto block = cg::this_thread_block();
  int t = threadIdx.x, i = blockIdx.x * BLOCK + t;
  cg::memcpy_async(block, tile, in + blockIdx.x * BLOCK, sizeof tile);
  block.sync();
  out[i] = tile[t] + tile[BLOCK - 1 - t];  // async_copy_not_awaited
}
__global__ void group_weakly_awaited(float* out, const float* in) {
  __shared__ float stage[2][BLOCK];
  auto block = cg::this_thread_block();
  int t = threadIdx.x;
  cg::memcpy_async(block, stage[0], in, sizeof stage[0]);
  for (int k = 0; k < TILES; k++) {
    if (k + 1 < TILES) cg::memcpy_async(block, stage[(k + 1) % 2], in + (k + 1) * BLOCK, sizeof stage[0]);
    cg::wait_prior<1>(block);
    out[k * BLOCK + t] = stage[k % 2][t] + stage[k % 2][BLOCK - 1 - t];  // async_copy_not_awaited
    block.sync();
  }
}
__global__ void one_thread_waits(float* out, const float* in) {
  __shared__ float tile[BLOCK];
  int t = threadIdx.x, i = blockIdx.x * BLOCK + t;
  __pipeline_memcpy_async(&tile[t], &in[i], sizeof(float));
  __pipeline_commit();
  if (t == 0) __pipeline_wait_prior(0);
  __syncthreads();
  out[i] = tile[t] + tile[BLOCK - 1 - t];  // async_copy_not_awaited
}
struct Three { float x, y, z; };
__global__ void structs_not_awaited(float* out, const float* in) {
  __shared__ Three tile[BLOCK];
  auto block = cg::this_thread_block();
  cg::memcpy_async(block, tile, reinterpret_cast<const Three*>(in), sizeof tile);
  block.sync();
  out[block.thread_rank()] = tile[block.thread_rank()].y;  // async_copy_not_awaited
}

__global__ void waits(float* out, const float* in) {
  __shared__ float tile[BLOCK];
  int t = threadIdx.x, i = blockIdx.x * BLOCK + t;
  __pipeline_memcpy_async(&tile[t], &in[i], sizeof(float));
  __pipeline_commit();
  __pipeline_wait_prior(0);
  float own = tile[t];
  __syncthreads();
  out[i] = own + tile[BLOCK - 1 - t];
}
__global__ void double_buffered(float* out, const float* in) {
  __shared__ float stage[2][BLOCK];
  int t = threadIdx.x;
  __pipeline_memcpy_async(&stage[0][t], &in[t], sizeof(float));
  __pipeline_commit();
  for (int k = 0; k < TILES; k++) {
    if (k + 1 < TILES) __pipeline_memcpy_async(&stage[(k + 1) % 2][t], &in[(k + 1) * BLOCK + t], sizeof(float));
    __pipeline_commit();
    __pipeline_wait_prior(1);
    __syncthreads();
    out[k * BLOCK + t] = stage[k % 2][t] + stage[k % 2][BLOCK - 1 - t];
    __syncthreads();
  }
}
template <int STAGES>
__global__ void many_stages(float* out, const float* in) {  // one barrier a tile: a stage is refilled one tile after its last use
  extern __shared__ float4 stages[];
  constexpr int QUADS = BLOCK / 4;
  int t = threadIdx.x;
  auto fetch = [&](int k) {
    if (k < TILES && t < QUADS)
      __pipeline_memcpy_async(&stages[k % STAGES * QUADS + t], reinterpret_cast<const float4*>(in) + k * QUADS + t, sizeof(float4));
    __pipeline_commit();
  };
  for (int k = 0; k < STAGES - 1; k++) fetch(k);
  for (int k = 0; k < TILES; k++) {
    __pipeline_wait_prior(STAGES - 2);
    __syncthreads();
    fetch(k + STAGES - 1);
    const float* tile = reinterpret_cast<const float*>(stages + k % STAGES * QUADS);
    out[k * BLOCK + t] = tile[t] + tile[BLOCK - 1 - t];
  }
  __pipeline_wait_prior(0);
}
__global__ void filled_tail(float* out, const float* in, int n) {  // zeros behind the end, by the copy itself
  __shared__ float tile[BLOCK];
  int t = threadIdx.x, i = blockIdx.x * BLOCK + t;
  __pipeline_memcpy_async(&tile[t], i < n ? &in[i] : in, sizeof(float), i < n ? 0 : sizeof(float));
  __pipeline_commit();
  __pipeline_wait_prior(0);
  __syncthreads();
  if (i < n) out[i] = tile[t] + tile[BLOCK - 1 - t];
}
__global__ void groups(float* out, const float* in) {
  __shared__ float stage[2][BLOCK];
  auto block = cg::this_thread_block();
  int t = threadIdx.x;
  cg::memcpy_async(block, stage[0], in, sizeof stage[0]);
  for (int k = 0; k < TILES; k++) {
    if (k + 1 < TILES) {
      cg::memcpy_async(block, stage[(k + 1) % 2], sizeof stage[0] / 4, in + (k + 1) * BLOCK, sizeof stage[0] / 4);
      cg::wait_prior<1>(block);
    } else {
      cg::wait(block);
    }
    out[k * BLOCK + t] = stage[k % 2][t] + stage[k % 2][BLOCK - 1 - t];
    block.sync();
  }
}
__global__ void tiles_of_a_warp(float* out, const float* in) {
  __shared__ float tile[BLOCK];
  auto warp = cg::tiled_partition<32>(cg::this_thread_block());
  int t = threadIdx.x, i = blockIdx.x * BLOCK + t, first = t / 32 * 32;
  cg::memcpy_async(warp, tile + first, in + blockIdx.x * BLOCK + first, 32 * sizeof(float));
  cg::wait(warp);
  float own = tile[t], next = tile[first + (t + 1) % 32];
  __syncthreads();
  out[i] = own + tile[BLOCK - 1 - t] + (next - next);
}
__global__ void one_warp_copies(float* out, const float* in) {
  __shared__ alignas(16) float tile[BLOCK];
  int t = threadIdx.x, i = blockIdx.x * BLOCK + t;
  if (t < BLOCK / 4) {
    __pipeline_memcpy_async(&tile[4 * t], &in[blockIdx.x * BLOCK + 4 * t], 4 * sizeof(float));
    __pipeline_commit();
    __pipeline_wait_prior(0);
  }
  __syncthreads();
  out[i] = tile[t] + tile[BLOCK - 1 - t];
}
__global__ void structs(float* out, const float* in) {
  __shared__ Three tile[BLOCK];
  auto block = cg::this_thread_block();
  cg::memcpy_async(block, tile, reinterpret_cast<const Three*>(in), sizeof tile);
  cg::wait(block);
  const float* values = &tile[0].x;
  for (int i = block.thread_rank(); i < 3 * BLOCK; i += BLOCK) out[i] = values[i] + values[i / BLOCK * BLOCK + BLOCK - 1 - i % BLOCK];
  for (int i = 3 * BLOCK + block.thread_rank(); i < N; i += BLOCK) out[i] = in[i] + in[i / BLOCK * BLOCK + BLOCK - 1 - i % BLOCK];
}

int main(int, char** argv) {
  auto is = [&](const char* name) { return strcmp(argv[1], name) == 0; };
  static float in[N], out[N];
  for (int i = 0; i < N; i++) in[i] = static_cast<float>(i * 7 % 31 + 1);
  float *a, *b;
  cudaMalloc(&a, sizeof in);
  cudaMalloc(&b, sizeof out);
  cudaMemcpy(a, in, sizeof in, cudaMemcpyHostToDevice);
  cudaMemset(b, 0, sizeof out);
  using Kernel = void (*)(float*, const float*);
  auto by_block = [&](const char* name, Kernel kernel) { if (is(name)) kernel<<<TILES, BLOCK>>>(b, a); };
  auto by_loop = [&](const char* name, Kernel kernel) { if (is(name)) kernel<<<1, BLOCK, 4 * BLOCK * sizeof(float)>>>(b, a); };
  by_block("no_wait", no_wait);
  by_block("own_no_wait", own_no_wait);
  by_block("not_committed", not_committed);
  by_loop("weak_wait", weak_wait);
  by_loop("last_tile_not_awaited", last_tile_not_awaited);
  by_block("no_barrier_behind_the_wait", no_barrier_behind_the_wait);
  by_block("barrier_before_the_wait", barrier_before_the_wait);
  by_loop("stage_reused_too_early", stage_reused_too_early);
  if (is("source_overwritten")) source_overwritten<<<TILES, BLOCK>>>(b, a);
  by_block("destination_cleared", destination_cleared);
  by_block("group_not_awaited", group_not_awaited);
  by_loop("group_weakly_awaited", group_weakly_awaited);
  by_block("one_thread_waits", one_thread_waits);
  by_loop("structs_not_awaited", structs_not_awaited);
  by_block("waits", waits);
  by_loop("double_buffered", double_buffered);
  by_loop("three_stages", many_stages<3>);
  by_loop("four_stages", many_stages<4>);
  if (is("filled_tail")) filled_tail<<<TILES, BLOCK>>>(b, a, N);
  by_loop("groups", groups);
  by_block("tiles_of_a_warp", tiles_of_a_warp);
  by_block("one_warp_copies", one_warp_copies);
  by_loop("structs", structs);
  cudaError_t error = cudaDeviceSynchronize();
  cudaMemcpy(out, b, sizeof out, cudaMemcpyDeviceToHost);
  int wrong = 0;
  for (int i = 0; i < N; i++) wrong += out[i] != in[i] + in[i / BLOCK * BLOCK + BLOCK - 1 - i % BLOCK];
  printf("%s %d\n", cudaGetErrorName(error), wrong);
  return 0;
}
