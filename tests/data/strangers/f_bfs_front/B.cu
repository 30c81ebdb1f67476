// Breadth first search, level by level, with an explicit frontier queue.
#include <cstdio>
#include <cstdlib>
#include <vector>
#include <utility>
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

// One warp per frontier vertex; newly found vertices go to the next queue with one
// atomicAdd per warp. All writers of dist[w] write the same level, so a plain store will do.
__global__ void expand(const int* __restrict__ off, const int* __restrict__ adj, const int* __restrict__ queue, int front,
                       int level, int* dist, int* next, int* tail)
{
    const int lane = threadIdx.x & 31;
    const int warp = (blockIdx.x * blockDim.x + threadIdx.x) >> 5;
    const int nwarp = (gridDim.x * blockDim.x) >> 5;
    for (int q = warp; q < front; q += nwarp) {
        const int v = queue[q];
        const int end = off[v + 1];
        for (int base = off[v]; base < end; base += 32) {
            int e = base + lane, w = -1;
            if (e < end) {
                w = __ldg(adj + e);
                if (dist[w] == -1) dist[w] = level + 1;
                else               w = -1;
            }
            unsigned hit = __ballot_sync(0xffffffffu, w >= 0);
            if (hit) {
                int at = 0;
                if (lane == 0) at = atomicAdd(tail, __popc(hit));
                at = __shfl_sync(0xffffffffu, at, 0);
                if (w >= 0) next[at + __popc(hit & ((1u << lane) - 1))] = w;
            }
        }
    }
}

int main()
{
    Graph g = build(30000, 8);
    const int n = g.n;
    int *off, *adj, *dist, *found, *qa, *qb;
    CUDA_TRY(cudaMalloc(&off, g.off.size() * sizeof(int)));
    CUDA_TRY(cudaMalloc(&adj, g.adj.size() * sizeof(int)));
    CUDA_TRY(cudaMalloc(&dist, n * sizeof(int)));
    CUDA_TRY(cudaMalloc(&found, sizeof(int)));
    CUDA_TRY(cudaMalloc(&qa, n * sizeof(int)));
    CUDA_TRY(cudaMalloc(&qb, n * sizeof(int)));
    CUDA_TRY(cudaMemcpy(off, g.off.data(), g.off.size() * sizeof(int), cudaMemcpyHostToDevice));
    CUDA_TRY(cudaMemcpy(adj, g.adj.data(), g.adj.size() * sizeof(int), cudaMemcpyHostToDevice));
    CUDA_TRY(cudaMemset(dist, 0xff, n * sizeof(int)));
    const int root = 17, zero = 0;
    CUDA_TRY(cudaMemcpy(dist + root, &zero, sizeof(int), cudaMemcpyHostToDevice));
    CUDA_TRY(cudaMemcpy(qa, &root, sizeof(int), cudaMemcpyHostToDevice));

    std::vector<int> sizes;
    int level = 0, front = 1;
    while (front > 0) {
        sizes.push_back(front);
        CUDA_TRY(cudaMemset(found, 0, sizeof(int)));
        int blocks = (front + 7) / 8;
        if (blocks > 512) blocks = 512;
        expand<<<blocks, 256>>>(off, adj, qa, front, level, dist, qb, found);
        CUDA_TRY(cudaGetLastError());
        CUDA_TRY(cudaMemcpy(&front, found, sizeof(int), cudaMemcpyDeviceToHost));
        std::swap(qa, qb);
        ++level;
    }
    std::vector<int> h(n);
    CUDA_TRY(cudaMemcpy(h.data(), dist, n * sizeof(int), cudaMemcpyDeviceToHost));
    long long sum = 0; int reached = 0;
    for (int d : h) if (d >= 0) { sum += d; ++reached; }
    std::printf("reached %d of %d, depth %d, sum of levels %lld\n", reached, n, level - 1, sum);
    for (size_t i = 0; i < sizes.size(); ++i) std::printf("  level %zu: %d\n", i, sizes[i]);
    cudaFree(off); cudaFree(adj); cudaFree(dist); cudaFree(found); cudaFree(qa); cudaFree(qb);
    return 0;
}
