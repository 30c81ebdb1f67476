#define BINS 256
#define WARPS (BLOCK / 32)
#define BLOCK 0x100

__constant__ unsigned char table[BINS];
__device__ unsigned int total;

__device__ static unsigned bin_of(unsigned char value) { return table[value]; }

__global__ void histogram(const unsigned char *data, unsigned *bins, unsigned n)
{
    __shared__ unsigned local[WARPS][BINS];
    unsigned *mine = local[threadIdx.x / 32];
    for (unsigned b = threadIdx.x; b < WARPS * BINS; b += BLOCK)
        (&local[0][0])[b] = 0;
    __syncthreads();
    unsigned stride = blockDim.x * gridDim.x;
    for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += stride)
        atomicAdd(&mine[bin_of(data[i])], 1u);
    __syncthreads();
    unsigned sum = 0;
#pragma unroll 4
    for (int w = 0; w < WARPS; ++w)
        sum += local[w][threadIdx.x];
    atomicAdd(bins + threadIdx.x, sum);
    if (threadIdx.x == 0) atomicAdd(&total, 1u);
}
