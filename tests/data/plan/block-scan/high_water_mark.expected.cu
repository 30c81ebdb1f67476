// kernel=high_water line=13 finding=KO119
#include <climits>

constexpr int THREADS = 128;

// high-water mark so far, block by block
__global__ __launch_bounds__(THREADS) void high_water(const int* level, int* mark, int* block_mark, int n) {
    __shared__ int m[THREADS / 64];
    int first = blockIdx.x * THREADS + threadIdx.x * 2;
    const bool whole = (reinterpret_cast<size_t>(level) | reinterpret_cast<size_t>(mark)) % 8 == 0 && first + 2 <= n;
    alignas(8) int items[2];
    if (whole) {
        *reinterpret_cast<int2 *>(items) = *reinterpret_cast<const int2 *>(level + first);
    } else {
        #pragma unroll
        for (int k = 0; k < 2; ++k) {
            const int i = first + k;
            items[k] = i < n ? level[i] : INT_MIN;
        }
    }
    int highest = max(items[0], items[1]);
    for (int offset = 1; offset < 32; offset *= 2) {
        int left = __shfl_up_sync(0xffffffff, highest, offset);
        if (threadIdx.x % 32 >= offset)
            highest = max(highest, left);
    }
    int running = __shfl_up_sync(0xffffffff, highest, 1);
    if (threadIdx.x % 32 == 0)
        running = items[0];
    if (threadIdx.x % 32 == 31)
        m[threadIdx.x / 32] = highest;
    __syncthreads();
    for (int warp = 0; warp < threadIdx.x / 32; warp++)
        running = max(running, m[warp]);
    int total = m[0];
    for (int warp = 1; warp < THREADS / 64; warp++)
        total = max(total, m[warp]);
    alignas(8) int mark2[2];
    #pragma unroll
    for (int k = 0; k < 2; ++k) {
        running = max(running, items[k]);
        mark2[k] = running;
    }
    if (whole) {
        *reinterpret_cast<int2 *>(mark + first) = *reinterpret_cast<int2 *>(mark2);
    } else {
        #pragma unroll
        for (int k = 0; k < 2; ++k)
            if (first + k < n)
                mark[first + k] = mark2[k];
    }
    if (threadIdx.x == 0) block_mark[blockIdx.x] = total;
}

void run(int* level, int* mark, int* block_mark, int n) {
    high_water<<<(n + THREADS - 1) / THREADS, THREADS / 2>>>(level, mark, block_mark, n);
}
