// kernel=combine line=8 finding=KO124
__global__ void combine(unsigned char *bits, int half, int span)
{
    int p = blockIdx.x * blockDim.x + threadIdx.x;
    // where the pair begins
    int low = p / half * span + p % half;
    unsigned char a = bits[low], b = bits[low + half];
    bits[low] = a ^ b;
    bits[low + half] = b;
}

// The passes of combine whose pairs lie in a block's tile, one after the other in shared memory.
__global__ void combine_tile(unsigned char *bits, int span)
{
    __shared__ unsigned char tile[2 * 32];
    int p = blockIdx.x * blockDim.x + threadIdx.x;
    int first = 2 * blockIdx.x * blockDim.x;
    tile[threadIdx.x] = bits[first + threadIdx.x];
    tile[threadIdx.x + blockDim.x] = bits[first + threadIdx.x + blockDim.x];
    for (; span > 1; span >>= 1) {
        __syncthreads();
        const int half = span / 2;
        // where the pair begins
        int low = p / half * span + p % half;
        unsigned char a = tile[low - first], b = tile[low + half - first];
        tile[low - first] = a ^ b;
        tile[low + half - first] = b;
    }
    __syncthreads();
    bits[first + threadIdx.x] = tile[threadIdx.x];
    bits[first + threadIdx.x + blockDim.x] = tile[threadIdx.x + blockDim.x];
}

void combine_all(unsigned char *bits, int blocks)
{
    for (int span = 1 << 20; span > 1; span >>= 1) {
        int half = span / 2;
        // from here on pairs lie in a block's tile
        if (2 * 32 % span == 0) {
            combine_tile<<<blocks, 32>>>(bits, span);
            break;
        }
        combine<<<blocks, 32>>>(bits, half, span);
    }
}
