// kernel=partialBalances line=16 finding=KO119
// cumulative balance of a ledger
#include <cstdio>
#include <cstdlib>
#include <vector>
typedef long long i64;
enum { kThreads = 256 };

__global__ void partialBalances(const i64* __restrict__ moves, i64* balances, i64* perBlock, unsigned count)
{
  __shared__ i64 buf[kThreads / 32];
  const unsigned tid = threadIdx.x;
  const unsigned gid = blockIdx.x * blockDim.x + tid;
  i64 sum = gid < count ? moves[gid] : 0;
  for (int offset = 1; offset < 32; offset *= 2) {
    i64 left = __shfl_up_sync(0xffffffff, sum, offset);
    if (tid % 32 >= offset)
      sum += left;
  }
  if (tid % 32 == 31)
    buf[tid / 32] = sum;
  __syncthreads();
  for (int warp = 0; warp < tid / 32; warp++)
    sum += buf[warp];
  if (gid < count) balances[gid] = sum;
  if (tid == blockDim.x - 1) perBlock[blockIdx.x] = sum;
}

void run(i64 *moves, i64 *balances, i64 *perBlock, unsigned count)
{
  const unsigned blocks = (count + kThreads - 1) / kThreads;
  partialBalances<<<blocks, kThreads>>>(moves, balances, perBlock, count);
}
