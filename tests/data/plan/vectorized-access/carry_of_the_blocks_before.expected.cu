// kernel=addCarry line=9 finding=KO118
typedef long long i64;

// each block's balances go on from where the blocks before it ended
__global__ void addCarry(i64* balances, const i64* perBlock, unsigned count)
{
  const bool aligned = reinterpret_cast<size_t>(balances) % 16 == 0;
  const unsigned first = (blockIdx.x * blockDim.x + threadIdx.x) * 2;
  if (aligned && first + 2 <= count) {
    alignas(16) i64 balances2[2];
    *reinterpret_cast<int4 *>(balances2) = *reinterpret_cast<const int4 *>(balances + first);
    #pragma unroll
    for (int k = 0; k < 2; ++k)
      balances2[k] += blockIdx.x > 0 ? perBlock[blockIdx.x - 1] : 0;
    *reinterpret_cast<int4 *>(balances + first) = *reinterpret_cast<int4 *>(balances2);
  } else {
    for (unsigned gid = first; gid < count && gid < first + 2; ++gid)
      balances[gid] += blockIdx.x > 0 ? perBlock[blockIdx.x - 1] : 0;
  }
}

void run(i64* balances, const i64* perBlock, unsigned count)
{
  const unsigned threads = 256;
  addCarry<<<(count + threads - 1) / threads, threads / 2>>>(balances, perBlock, count);
}
