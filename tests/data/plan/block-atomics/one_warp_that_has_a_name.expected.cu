// kernel=best_of_tiles line=15 finding=KO110
#include <cstdio>
#include <cstdlib>
#define LANES 32

__global__ void best_of_tiles(const int *scores, int *best, int n)
{
    __shared__ int tile[LANES];
    int i = blockIdx.x * LANES + threadIdx.x;
    tile[threadIdx.x] = i < n ? scores[i] : 0;
    __syncthreads();
    int left = tile[threadIdx.x ? threadIdx.x - 1 : 0];
    int mine = tile[threadIdx.x];
    int high = mine > left ? mine - left : 0;
    for (int offset = 16; offset > 0; offset /= 2)
        high = max(high, __shfl_down_sync(0xffffffff, high, offset));
    __shared__ int warp_best[LANES / 32];
    if (threadIdx.x % 32 == 0)
        warp_best[threadIdx.x / 32] = high;
    __syncthreads();
    if (threadIdx.x == 0) {
        for (int warp = 1; warp < LANES / 32; warp++)
            high = max(high, warp_best[warp]);
        atomicMax(best, high);
    }
}

int main() {
    const int n = 5003, threads = LANES;
    int *scores, *best, *h = new int[n], found;
    for (int i = 0; i < n; i++) h[i] = i * 37 % 1009;
    cudaMalloc(&scores, n * sizeof(int));
    cudaMalloc(&best, sizeof(int));
    cudaMemcpy(scores, h, n * sizeof(int), cudaMemcpyHostToDevice);
    cudaMemset(best, 0, sizeof(int));
    best_of_tiles<<<(n + threads - 1) / threads, threads>>>(scores, best, n);
    cudaMemcpy(&found, best, sizeof(int), cudaMemcpyDeviceToHost);
    printf("%d\n", found);
    return 0;
}
