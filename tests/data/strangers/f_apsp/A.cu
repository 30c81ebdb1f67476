/* All pairs shortest paths (Floyd-Warshall), integer road lengths, directed graph without negative cycles. */
#include <cstdio>
#include <cstdlib>
#include <vector>
#include <cuda_runtime.h>

#define NO_ROAD (1 << 29)

void chk(cudaError_t e, const char* where)
{
    if (e == cudaSuccess) return;
    fprintf(stderr, "%s: %s\n", where, cudaGetErrorString(e));
    exit(1);
}

__global__ void fwStep(int* d, int n, int k)
{
    int j = blockIdx.x * blockDim.x + threadIdx.x;
    int i = blockIdx.y * blockDim.y + threadIdx.y;
    if (i >= n || j >= n) return;
    int a = d[i * n + k], b = d[k * n + j];
    if (a < NO_ROAD && b < NO_ROAD && a + b < d[i * n + j]) d[i * n + j] = a + b;
}

void allPairs(int* d, int n)
{
    dim3 blk(16, 16), grd((n + 15) / 16, (n + 15) / 16);
    for (int k = 0; k < n; ++k) fwStep<<<grd, blk>>>(d, n, k);
    chk(cudaGetLastError(), "fwStep");
}

int main()
{
    const int n = 118;
    std::vector<int> d(n * n, NO_ROAD);
    unsigned s = 1u;
    for (int i = 0; i < n; ++i) {
        d[i * n + i] = 0;
        for (int k = 0; k < 4; ++k) {
            s = s * 1103515245u + 12345u;
            int j = (int)((s >> 12) % n);
            s = s * 1103515245u + 12345u;
            int w = 1 + (int)((s >> 12) % 900);
            if (i % 10 == 9 && j < n / 2) continue;        // some dead ends
            if (i != j && w < d[i * n + j]) d[i * n + j] = w;
        }
    }
    int* dev;
    chk(cudaMalloc(&dev, d.size() * sizeof(int)), "malloc");
    chk(cudaMemcpy(dev, d.data(), d.size() * sizeof(int), cudaMemcpyHostToDevice), "upload");
    allPairs(dev, n);
    chk(cudaMemcpy(d.data(), dev, d.size() * sizeof(int), cudaMemcpyDeviceToHost), "download");
    long long sum = 0; int unreachable = 0, longest = 0;
    for (int v : d) { if (v >= NO_ROAD) ++unreachable; else { sum += v; if (v > longest) longest = v; } }
    printf("sum %lld, longest %d, unreachable pairs %d\n", sum, longest, unreachable);
    printf("d(0,1)=%d d(5,100)=%d d(117,3)=%d\n", d[1], d[5 * n + 100], d[117 * n + 3]);
    cudaFree(dev);
    return 0;
}
