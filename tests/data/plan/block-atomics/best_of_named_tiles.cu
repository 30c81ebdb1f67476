// kernel=best_of_tiles line=15 finding=KO110
#include <cstdio>
#include <cstdlib>
#define TILE 64

__global__ void best_of_tiles(const int *scores, int *best, int n)
{
    __shared__ int tile[TILE];
    int i = blockIdx.x * TILE + threadIdx.x;
    tile[threadIdx.x] = i < n ? scores[i] : 0;
    __syncthreads();
    int left = tile[threadIdx.x ? threadIdx.x - 1 : 0];
    int mine = tile[threadIdx.x];
    int high = mine > left ? mine - left : 0;
    atomicMax(best, high);
}

int main() {
    const int n = 5003, threads = TILE;
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
