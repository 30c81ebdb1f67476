// kernel=lift line=9 finding=KO102
__global__ void lift(short *v, int level)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int j = i ^ (1 << level);
    if (j < i) return;
    short a = v[i], b = v[j];
    short difference = b - a;
    v[j] = difference;
    v[i] = a + difference / 2;
}

// The passes of lift whose pairs lie in a block's tile, one after the other in shared memory.
__global__ void lift_tile(short *v, int level)
{
    __shared__ short tile[64];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int first = i - threadIdx.x;
    tile[threadIdx.x] = v[i];
    for (; level >= 0; --level) {
        __syncthreads();
        int j = i ^ (1 << level);
        if (j < i) continue;
        short a = tile[threadIdx.x], b = tile[j - first];
        short difference = b - a;
        tile[j - first] = difference;
        tile[threadIdx.x] = a + difference / 2;
    }
    __syncthreads();
    v[i] = tile[threadIdx.x];
}

void levels(short *v, int blocks, int top)
{
    for (int level = top; level >= 0; --level) {
        // from here on pairs lie in a block's tile
        if (level <= 5) {
            lift_tile<<<blocks, 64>>>(v, level);
            break;
        }
        lift<<<blocks, 64>>>(v, level);
    }
}
