// kernel=addCarry line=9 finding=KO118
typedef long long i64;

// each block's balances go on from where the blocks before it ended
__global__ void addCarry(i64* balances, const i64* perBlock, unsigned count)
{
  const unsigned gid = blockIdx.x * blockDim.x + threadIdx.x;
  if (gid >= count) return;
  balances[gid] += blockIdx.x > 0 ? perBlock[blockIdx.x - 1] : 0;
}

void run(i64* balances, const i64* perBlock, unsigned count)
{
  const unsigned threads = 256;
  addCarry<<<(count + threads - 1) / threads, threads>>>(balances, perBlock, count);
}
