// kernel=count_set line=45 finding=KO111
#include <cstdio>

constexpr int THREADS = 512, FLAGS = 30000;

// how many flags are set, and the sum of their places
__global__ void count_set(const unsigned char *flags, unsigned int *found, unsigned long long *places)
{
    const int tid = threadIdx.x;
    unsigned int hits = 0;
    unsigned long long where = 0;
    for (int i = tid; i < FLAGS; i += THREADS) {
        if (flags[i]) {
            hits++;
            where += i;
        }
    }
    for (int offset = 16; offset > 0; offset /= 2) {
        hits += __shfl_down_sync(0xffffffff, hits, offset);
        where += __shfl_down_sync(0xffffffff, where, offset);
    }
    __shared__ unsigned int warp_hits[THREADS / 32];
    __shared__ unsigned long long warp_where[THREADS / 32];
    if (tid % 32 == 0) {
        warp_hits[tid / 32] = hits;
        warp_where[tid / 32] = where;
    }
    __syncthreads();
    if (tid < 32) {
        hits = tid < THREADS / 32 ? warp_hits[tid] : 0;
        where = tid < THREADS / 32 ? warp_where[tid] : 0;
        for (int offset = 16; offset > 0; offset /= 2) {
            hits += __shfl_down_sync(0xffffffff, hits, offset);
            where += __shfl_down_sync(0xffffffff, where, offset);
        }
        if (tid == 0) {
            found[0] = hits;
            places[0] = where;
        }
    }
}

void start(const unsigned char *flags, unsigned int *found, unsigned long long *places, cudaStream_t stream)
{
    count_set<<<dim3(1), THREADS, 0, stream>>>(flags, found, places);
}

int main()
{
    unsigned char *flags;
    unsigned int *found;
    unsigned long long *places;
    cudaMallocManaged(&flags, FLAGS);
    cudaMallocManaged(&found, sizeof(unsigned int));
    cudaMallocManaged(&places, sizeof(unsigned long long));
    for (int i = 0; i < FLAGS; i++)
        flags[i] = i % 7 == 3;
    start(flags, found, places, 0);
    cudaDeviceSynchronize();
    printf("%u %llu\n", *found, *places);
    return 0;
}
