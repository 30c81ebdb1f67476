// kernel=best line=20 finding=KO115
typedef unsigned long long ull;
#define THREADS 128
#define K 3

__global__ void best(const unsigned *score, int cols, unsigned *ids)
{
    __shared__ ull red[THREADS / 32];
    const unsigned *row = score + (size_t)blockIdx.x * cols;
    ull limit = ~0ull;
    for (int k = 0; k < K; k++) {
        ull m = 0;
        for (int i = threadIdx.x; i < cols; i += THREADS) {
            ull key = (ull)row[i] << 32 | i;
            if (key < limit && key > m) m = key;
        }
        for (int offset = 16; offset > 0; offset /= 2)
            m = max(m, __shfl_down_sync(0xffffffff, m, offset));
        if (threadIdx.x % 32 == 0)
            red[threadIdx.x / 32] = m;
        __syncthreads();
        if (threadIdx.x == 0) {
            for (int warp = 1; warp < THREADS / 32; warp++)
                m = max(m, red[warp]);
            red[0] = m;
        }
        __syncthreads();
        limit = red[0];
        if (threadIdx.x == 0)
            ids[blockIdx.x * K + k] = (unsigned)limit;
        __syncthreads();
    }
}

void run(const unsigned *score, int rows, int cols, unsigned *ids)
{
    best<<<rows, THREADS>>>(score, cols, ids);
}
