// kernel=high_water line=13 finding=KO119
#include <climits>

constexpr int THREADS = 128;

// high-water mark so far, block by block
__global__ __launch_bounds__(THREADS) void high_water(const int* level, int* mark, int* block_mark, int n) {
    __shared__ int m[THREADS / 32];
    int i = blockIdx.x * THREADS + threadIdx.x;
    int highest = i < n ? level[i] : INT_MIN;
    for (int offset = 1; offset < 32; offset *= 2) {
        int left = __shfl_up_sync(0xffffffff, highest, offset);
        if (threadIdx.x % 32 >= offset)
            highest = max(highest, left);
    }
    if (threadIdx.x % 32 == 31)
        m[threadIdx.x / 32] = highest;
    __syncthreads();
    for (int warp = 0; warp < threadIdx.x / 32; warp++)
        highest = max(highest, m[warp]);
    int total = m[0];
    for (int warp = 1; warp < THREADS / 32; warp++)
        total = max(total, m[warp]);
    if (i < n) mark[i] = highest;
    if (threadIdx.x == 0) block_mark[blockIdx.x] = total;
}

void run(int* level, int* mark, int* block_mark, int n) {
    high_water<<<(n + THREADS - 1) / THREADS, THREADS>>>(level, mark, block_mark, n);
}
