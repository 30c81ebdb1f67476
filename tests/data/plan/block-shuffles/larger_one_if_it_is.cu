// kernel=best line=20 finding=KO115
typedef unsigned long long ull;
#define THREADS 128
#define K 3

__global__ void best(const unsigned *score, int cols, unsigned *ids)
{
    __shared__ ull red[THREADS];
    const unsigned *row = score + (size_t)blockIdx.x * cols;
    ull limit = ~0ull;
    for (int k = 0; k < K; k++) {
        ull m = 0;
        for (int i = threadIdx.x; i < cols; i += THREADS) {
            ull key = (ull)row[i] << 32 | i;
            if (key < limit && key > m) m = key;
        }
        red[threadIdx.x] = m;
        __syncthreads();
        // keep the larger key
        for (int s = THREADS / 2; s > 0; s >>= 1) {
            if (threadIdx.x < s && red[threadIdx.x + s] > red[threadIdx.x]) red[threadIdx.x] = red[threadIdx.x + s];
            __syncthreads();
        }
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
