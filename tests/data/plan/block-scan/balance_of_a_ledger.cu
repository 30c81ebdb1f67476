// kernel=partialBalances line=16 finding=KO119
// cumulative balance of a ledger
#include <cstdio>
#include <cstdlib>
#include <vector>
typedef long long i64;
enum { kThreads = 256 };

__global__ void partialBalances(const i64* __restrict__ moves, i64* balances, i64* perBlock, unsigned count)
{
  __shared__ i64 buf[kThreads];
  const unsigned tid = threadIdx.x;
  const unsigned gid = blockIdx.x * blockDim.x + tid;
  buf[tid] = gid < count ? moves[gid] : 0;
  __syncthreads();
  for (unsigned step = 1; step < kThreads; step <<= 1) {
    i64 other = 0;
    if (tid >= step) other = buf[tid - step];
    __syncthreads();
    buf[tid] += other;
    __syncthreads();
  }
  if (gid < count) balances[gid] = buf[tid];
  if (tid == blockDim.x - 1) perBlock[blockIdx.x] = buf[tid];
}

void run(i64 *moves, i64 *balances, i64 *perBlock, unsigned count)
{
  const unsigned blocks = (count + kThreads - 1) / kThreads;
  partialBalances<<<blocks, kThreads>>>(moves, balances, perBlock, count);
}
