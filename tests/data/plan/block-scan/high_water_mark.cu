// kernel=high_water line=13 finding=KO119
#include <climits>

constexpr int THREADS = 128;

// high-water mark so far, block by block
__global__ __launch_bounds__(THREADS) void high_water(const int* level, int* mark, int* block_mark, int n) {
    __shared__ int m[2][THREADS];
    int i = blockIdx.x * THREADS + threadIdx.x;
    int cur = 0;
    m[0][threadIdx.x] = i < n ? level[i] : INT_MIN;
    __syncthreads();
    for (int d = 1; d < THREADS; d <<= 1) {
        if (threadIdx.x >= d) m[1 - cur][threadIdx.x] = max(m[cur][threadIdx.x], m[cur][threadIdx.x - d]);
        else                  m[1 - cur][threadIdx.x] = m[cur][threadIdx.x];
        cur = 1 - cur;
        __syncthreads();
    }
    if (i < n) mark[i] = m[cur][threadIdx.x];
    if (threadIdx.x == 0) block_mark[blockIdx.x] = m[cur][THREADS - 1];
}

void run(int* level, int* mark, int* block_mark, int n) {
    high_water<<<(n + THREADS - 1) / THREADS, THREADS>>>(level, mark, block_mark, n);
}
