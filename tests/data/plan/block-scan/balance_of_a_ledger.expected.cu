// kernel=partialBalances line=16 finding=KO119
// cumulative balance of a ledger
#include <cstdio>
#include <cstdlib>
#include <vector>
typedef long long i64;
enum { kThreads = 256 };

__global__ void partialBalances(const i64* __restrict__ moves, i64* balances, i64* perBlock, unsigned count)
{
  __shared__ i64 buf[kThreads / 64];
  const unsigned tid = threadIdx.x;
  const unsigned first = (blockIdx.x * blockDim.x + tid) * 2;
  const bool whole = (reinterpret_cast<size_t>(moves) | reinterpret_cast<size_t>(balances)) % 16 == 0 && first + 2 <= count;
  alignas(16) i64 items[2];
  if (whole) {
    *reinterpret_cast<int4 *>(items) = *reinterpret_cast<const int4 *>(moves + first);
  } else {
    #pragma unroll
    for (int k = 0; k < 2; ++k) {
      const unsigned gid = first + k;
      items[k] = gid < count ? moves[gid] : 0;
    }
  }
  i64 sum = items[0] + items[1];
  for (int offset = 1; offset < 32; offset *= 2) {
    i64 left = __shfl_up_sync(0xffffffff, sum, offset);
    if (tid % 32 >= offset)
      sum += left;
  }
  i64 running = __shfl_up_sync(0xffffffff, sum, 1);
  if (tid % 32 == 0)
    running = 0;
  if (tid % 32 == 31)
    buf[tid / 32] = sum;
  __syncthreads();
  for (int warp = 0; warp < tid / 32; warp++)
    running += buf[warp];
  alignas(16) i64 balances2[2];
  #pragma unroll
  for (int k = 0; k < 2; ++k) {
    running += items[k];
    balances2[k] = running;
  }
  if (whole) {
    *reinterpret_cast<int4 *>(balances + first) = *reinterpret_cast<int4 *>(balances2);
  } else {
    #pragma unroll
    for (int k = 0; k < 2; ++k)
      if (first + k < count)
        balances[first + k] = balances2[k];
  }
  if (tid == blockDim.x - 1) perBlock[blockIdx.x] = running;
}

void run(i64 *moves, i64 *balances, i64 *perBlock, unsigned count)
{
  const unsigned blocks = (count + kThreads - 1) / kThreads;
  partialBalances<<<blocks, kThreads / 2>>>(moves, balances, perBlock, count);
}
