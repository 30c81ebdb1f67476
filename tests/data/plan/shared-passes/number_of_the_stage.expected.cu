// kernel=mix line=7 finding=KO124
__global__ void mix(long long* sums, int n, int stride)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const int other = i ^ stride;
    if (other > i && other < n) {
        const long long mine = sums[i], theirs = *(sums + other);
        sums[i] = mine + theirs;
        sums[other] = mine > theirs ? mine - theirs : theirs - mine;
    }
}

// The passes of mix whose pairs lie in a block's tile, one after the other in shared memory.
__global__ void mix_tile(long long* sums)
{
    __shared__ long long tile[128];
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const int first = i - threadIdx.x;
    tile[threadIdx.x] = sums[i];
    for (int s = 0; s <= 6; s++) {
        __syncthreads();
        const int stride = 1 << s;
        const int other = i ^ stride;
        if (other > i) {
            const long long mine = tile[threadIdx.x], theirs = tile[other - first];
            tile[threadIdx.x] = mine + theirs;
            tile[other - first] = mine > theirs ? mine - theirs : theirs - mine;
        }
    }
    __syncthreads();
    sums[i] = tile[threadIdx.x];
}

void run(long long* sums, int log2n, cudaStream_t stream)
{
    const int n = 1 << log2n;
    for (int s = 0; s < log2n; s++)
    {
        // the pairs of the first passes lie in a block's tile
        if (s == 0 && 6 < log2n && n % 128 == 0) {
            mix_tile<<<(n + 127) / 128, 128, 0, stream>>>(sums);
            s = 6;
            continue;
        }
        mix<<<(n + 127) / 128, 128, 0, stream>>>(sums, n, 1 << s);
    }
}
