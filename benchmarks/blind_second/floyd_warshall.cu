// All pairs shortest paths (Floyd-Warshall) with path reconstruction
// Parallel Programming, assignment 2
#include <stdio.h>
#include <stdlib.h>

#define INF 1000000000
#define TILE 16

#define CUDA_SAFE(call) do { \
    cudaError_t e = call; \
    if (e != cudaSuccess) { printf("Error: %s\n", cudaGetErrorString(e)); exit(1); } \
} while (0)

// one step: try vertex k between every pair (i, j)
__global__ void fw_step(int *dist, int *next, int n, int k)
{
    int i = blockIdx.y * blockDim.y + threadIdx.y;
    int j = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < n && j < n) {
        if (dist[i * n + k] != INF && dist[k * n + j] != INF) {
            if (dist[i * n + k] + dist[k * n + j] < dist[i * n + j]) {
                dist[i * n + j] = dist[i * n + k] + dist[k * n + j];
                next[i * n + j] = next[i * n + k];
            }
        }
    }
}

int main(int argc, char **argv)
{
    if (argc < 2) {
        printf("usage: %s N [edges per vertex]\n", argv[0]);
        return 1;
    }
    int n = atoi(argv[1]);
    int degree = argc > 2 ? atoi(argv[2]) : 4;

    int *dist = (int *)malloc(n * n * sizeof(int));
    int *next = (int *)malloc(n * n * sizeof(int));

    // random directed graph, plus a ring so that it is connected
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < n; j++) {
            dist[i * n + j] = (i == j) ? 0 : INF;
            next[i * n + j] = (i == j) ? j : -1;
        }
    }
    unsigned int r = 17;
    for (int i = 0; i < n; i++) {
        for (int e = 0; e < degree; e++) {
            r = r * 1103515245u + 12345u;
            int j = (r >> 8) % n;
            r = r * 1103515245u + 12345u;
            int w = 1 + (r >> 8) % 100;
            if (i != j && w < dist[i * n + j]) {
                dist[i * n + j] = w;
                next[i * n + j] = j;
            }
        }
        int j = (i + 1) % n;
        if (dist[i * n + j] > 150) {
            dist[i * n + j] = 150;
            next[i * n + j] = j;
        }
    }

    int *d_dist, *d_next;
    CUDA_SAFE(cudaMalloc((void **)&d_dist, n * n * sizeof(int)));
    CUDA_SAFE(cudaMalloc((void **)&d_next, n * n * sizeof(int)));
    CUDA_SAFE(cudaMemcpy(d_dist, dist, n * n * sizeof(int), cudaMemcpyHostToDevice));
    CUDA_SAFE(cudaMemcpy(d_next, next, n * n * sizeof(int), cudaMemcpyHostToDevice));

    dim3 threads(TILE, TILE);
    dim3 blocks((n + TILE - 1) / TILE, (n + TILE - 1) / TILE);
    for (int k = 0; k < n; k++) {
        fw_step<<<blocks, threads>>>(d_dist, d_next, n, k);
        CUDA_SAFE(cudaGetLastError());
    }
    CUDA_SAFE(cudaDeviceSynchronize());

    CUDA_SAFE(cudaMemcpy(dist, d_dist, n * n * sizeof(int), cudaMemcpyDeviceToHost));
    CUDA_SAFE(cudaMemcpy(next, d_next, n * n * sizeof(int), cudaMemcpyDeviceToHost));

    long long sum = 0;
    int longest = 0;
    for (int i = 0; i < n * n; i++) {
        sum += dist[i];
        if (dist[i] > longest) longest = dist[i];
    }
    // walk along the path 0 -> n/2; its length must be the distance
    int hops = 0;
    for (int v = 0; v != n / 2; v = next[v * n + n / 2]) hops++;

    printf("sum of distances: %lld\n", sum);
    printf("diameter: %d\n", longest);
    printf("0 -> %d: distance %d (%s)\n", n / 2, dist[n / 2], hops > 0 && hops < n ? "path found" : "path broken");

    cudaFree(d_dist);
    cudaFree(d_next);
    free(dist);
    free(next);
    return 0;
}
