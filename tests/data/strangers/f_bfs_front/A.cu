// Breadth first search, level by level, all vertices are examined in every level.
#include <cstdio>
#include <cstdlib>
#include <vector>
#include <cuda_runtime.h>

#define CUDA_TRY(stmt)                                                       \
    do {                                                                     \
        cudaError_t rc = (stmt);                                             \
        if (rc != cudaSuccess) {                                             \
            std::fprintf(stderr, "%s failed: %s\n", #stmt, cudaGetErrorString(rc)); \
            std::exit(EXIT_FAILURE);                                         \
        }                                                                    \
    } while (0)

struct Graph { int n; std::vector<int> off, adj; };

static Graph build(int n, int deg)
{
    Graph g; g.n = n;
    std::vector<std::vector<int>> l(n);
    unsigned r = 99u;
    for (int v = 0; v < n; ++v) {
        int w = (v + 1) % n;
        l[v].push_back(w); l[w].push_back(v);
        for (int k = 1; k < deg / 2; ++k) {
            r = r * 1664525u + 1013904223u;
            int x = (int)((r >> 7) % (unsigned)n);
            if (x / 64 % 3 == 0) x = v / 2;
            l[v].push_back(x); l[x].push_back(v);
        }
    }
    g.off.push_back(0);
    for (auto& a : l) { g.adj.insert(g.adj.end(), a.begin(), a.end()); g.off.push_back((int)g.adj.size()); }
    return g;
}

__global__ void expand(const int* off, const int* adj, int n, int level, int* dist, int* found)
{
    int v = blockIdx.x * blockDim.x + threadIdx.x;
    if (v >= n || dist[v] != level) return;
    for (int e = off[v]; e < off[v + 1]; ++e)
        if (atomicCAS(&dist[adj[e]], -1, level + 1) == -1) atomicAdd(found, 1);
}

int main()
{
    Graph g = build(30000, 8);
    const int n = g.n;
    int *off, *adj, *dist, *found;
    CUDA_TRY(cudaMalloc(&off, g.off.size() * sizeof(int)));
    CUDA_TRY(cudaMalloc(&adj, g.adj.size() * sizeof(int)));
    CUDA_TRY(cudaMalloc(&dist, n * sizeof(int)));
    CUDA_TRY(cudaMalloc(&found, sizeof(int)));
    CUDA_TRY(cudaMemcpy(off, g.off.data(), g.off.size() * sizeof(int), cudaMemcpyHostToDevice));
    CUDA_TRY(cudaMemcpy(adj, g.adj.data(), g.adj.size() * sizeof(int), cudaMemcpyHostToDevice));
    CUDA_TRY(cudaMemset(dist, 0xff, n * sizeof(int)));
    const int root = 17, zero = 0;
    CUDA_TRY(cudaMemcpy(dist + root, &zero, sizeof(int), cudaMemcpyHostToDevice));

    std::vector<int> sizes;
    int level = 0, front = 1;
    while (front > 0) {
        sizes.push_back(front);
        CUDA_TRY(cudaMemset(found, 0, sizeof(int)));
        expand<<<(n + 255) / 256, 256>>>(off, adj, n, level, dist, found);
        CUDA_TRY(cudaGetLastError());
        CUDA_TRY(cudaMemcpy(&front, found, sizeof(int), cudaMemcpyDeviceToHost));
        ++level;
    }
    std::vector<int> h(n);
    CUDA_TRY(cudaMemcpy(h.data(), dist, n * sizeof(int), cudaMemcpyDeviceToHost));
    long long sum = 0; int reached = 0;
    for (int d : h) if (d >= 0) { sum += d; ++reached; }
    std::printf("reached %d of %d, depth %d, sum of levels %lld\n", reached, n, level - 1, sum);
    for (size_t i = 0; i < sizes.size(); ++i) std::printf("  level %zu: %d\n", i, sizes[i]);
    cudaFree(off); cudaFree(adj); cudaFree(dist); cudaFree(found);
    return 0;
}
