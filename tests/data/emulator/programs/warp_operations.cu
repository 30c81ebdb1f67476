// Shuffles of every kind and type, votes, match, reduce.
#include <cstdio>
#include <cuda_runtime.h>
#define ALL 0xffffffffu
__device__ int bad;
__device__ void check(bool ok, int line) { if (!ok) { atomicAdd(&bad, 1); printf("line %d thread %d\n", line, threadIdx.x); } }
#define CHECK(x) check((x), __LINE__)
__global__ void run() {
  int lane = threadIdx.x & 31; unsigned bit = 1u << lane;
  CHECK(__shfl_sync(ALL, lane, 5) == 5); CHECK(__shfl_sync(ALL, lane, lane + 1) == (lane + 1) % 32);
  CHECK(__shfl_sync(ALL, lane * 1.5, 2, 8) == (lane / 8 * 8 + 2) * 1.5);
  CHECK(__shfl_up_sync(ALL, lane, 3) == (lane < 3 ? lane : lane - 3)); CHECK(__shfl_down_sync(ALL, (float)lane, 4) == (lane + 4 > 31 ? lane : lane + 4));
  CHECK(__shfl_xor_sync(ALL, (long long)lane << 40, 16) == (long long)(lane ^ 16) << 40); CHECK(__shfl_down_sync(ALL, (unsigned char)lane, 1, 4) == (lane % 4 == 3 ? lane : lane + 1));
  CHECK(__ballot_sync(ALL, lane % 2) == 0xaaaaaaaau); CHECK(__any_sync(ALL, lane == 7)); CHECK(!__all_sync(ALL, lane == 7)); CHECK(__all_sync(ALL, 1)); CHECK(__uni_sync(ALL, 0));
  CHECK(__match_any_sync(ALL, lane / 4) == 0xfu << (lane / 4 * 4)); int same; CHECK(__match_all_sync(ALL, 3.5, &same) == ALL && same); CHECK(__match_all_sync(ALL, lane, &same) == 0 && !same);
  CHECK(__reduce_add_sync(ALL, (unsigned)lane) == 496); CHECK(__reduce_min_sync(ALL, lane - 10) == -10); CHECK(__reduce_max_sync(ALL, -lane) == 0); CHECK(__reduce_or_sync(ALL, bit) == ALL); CHECK(__reduce_xor_sync(ALL, bit & 3) == 3); CHECK(__reduce_and_sync(ALL, bit | 8) == 8);
  if (lane < 10) { CHECK(__activemask() == 0x3ff); int s = lane; for (int o = 8; o > 0; o /= 2) { int t = __shfl_down_sync(0x3ff, s, o); if (lane + o < 10) s += t; } if (lane == 0) CHECK(s == 45); }
  __syncwarp(); CHECK(__syncthreads_count(threadIdx.x < 40) == 40); CHECK(__syncthreads_or(threadIdx.x == 63)); CHECK(!__syncthreads_and(threadIdx.x));
}
int main() { run<<<2, 64>>>(); cudaError_t e = cudaDeviceSynchronize(); int b; cudaMemcpyFromSymbol(&b, bad, 4); puts(b || e ? "warp_operations FAIL" : "warp_operations PASS"); return b; }
