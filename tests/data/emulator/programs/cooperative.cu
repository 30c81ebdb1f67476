// Cooperative groups: blocks, tiles, coalesced threads, collectives, and a grid barrier.
#include <cstdio>
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>
#include <cooperative_groups/memcpy_async.h>
namespace cg = cooperative_groups;
__device__ int bad;
#define CHECK(condition) do { if (!(condition)) { atomicAdd(&bad, 1); printf("line %d thread %d\n", __LINE__, threadIdx.x); } } while (0)
template <typename G> __device__ int sum(const G& g, int v) { for (int d = g.size() / 2; d > 0; d /= 2) v += g.shfl_down(v, d); return v; }
__global__ void groups(const int* in) {
  auto block = cg::this_thread_block(); auto warp = cg::tiled_partition<32>(block); cg::thread_block_tile<8> tile = cg::tiled_partition<8>(block);
  int r = block.thread_rank(); CHECK(block.size() == 64 && block.group_index().x == blockIdx.x && (int)warp.thread_rank() == r % 32 && (int)tile.meta_group_rank() == r / 8 && tile.meta_group_size() == 8);
  CHECK(cg::reduce(warp, 1, cg::plus<int>()) == 32); CHECK(cg::reduce(tile, r % 8, cg::greater<int>()) == 7); CHECK(cg::inclusive_scan(warp, 1) == r % 32 + 1); CHECK(cg::exclusive_scan(tile, 2, cg::plus<int>()) == r % 8 * 2);
  CHECK(tile.shfl(r, 3) == r / 8 * 8 + 3); CHECK(tile.ballot(r & 1) == 0xaa); CHECK(tile.any(r % 8 == 2)); CHECK(warp.match_any(r % 2) == (r % 2 ? 0xaaaaaaaau : 0x55555555u)); int s = sum(tile, 1); if (tile.thread_rank() == 0) CHECK(s == 8);
  struct Big { double a, b, c; } big = {r * 1.0, 2, 3}; CHECK(warp.shfl_xor(big, 1).a == (r ^ 1));
  if (r % 3 == 0) { auto active = cg::coalesced_threads(); CHECK((int)active.size() == (r < 32 ? 11 : 11)); CHECK(active.shfl(r, 0) == (r < 32 ? 0 : 33)); CHECK(cg::reduce(active, 1, cg::plus<int>()) == 11); CHECK((int)active.thread_rank() == (r - (r < 32 ? 0 : 33)) / 3); }
  cg::thread_group half_warp = cg::tiled_partition(block, 16); CHECK(half_warp.size() == 16 && (int)half_warp.thread_rank() == r % 16); auto label = cg::labeled_partition(warp, r % 4); CHECK(label.size() == 8);
  __shared__ int buffer[64]; cg::memcpy_async(block, buffer, in, sizeof buffer); cg::wait(block); CHECK(buffer[63 - r] == 63 - r); block.sync(); cg::sync(warp);
}
__global__ void grid_wide(int* data, int n) { cg::grid_group g = cg::this_grid(); int i = g.thread_rank(); data[i] = i; g.sync(); int v = data[n - 1 - i]; g.sync(); data[i] = v; CHECK((int)g.size() == n); }
int main() {
  int h[512]; for (int i = 0; i < 512; i++) h[i] = i; int *d; cudaMalloc(&d, sizeof h); cudaMemcpy(d, h, sizeof h, cudaMemcpyHostToDevice);
  groups<<<2, 64>>>(d); int n = 512; void* args[] = {&d, &n}; cudaError_t e = cudaLaunchCooperativeKernel((void*)grid_wide, 8, 64, args); if (e) printf("%s\n", cudaGetErrorString(e));
  cudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost); int b = -1; cudaMemcpyFromSymbol(&b, bad, 4); for (int i = 0; i < 512; i++) b += h[i] != 511 - i;
  puts(b || e ? "cooperative FAIL" : "cooperative PASS"); return b;
}
