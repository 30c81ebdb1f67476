// Breadth first search, frontier queue, one warp per frontier vertex; queue slots are reserved
// once per warp.
#include <cstdio>
#include <cstdlib>
#include <vector>
#include <numeric>
#include <cuda_runtime.h>

#define HANDLE(x) handle(x, #x, __LINE__)
inline void handle(cudaError_t e, const char *s, int l)
{
    if (e != cudaSuccess) { fprintf(stderr, "[%d] %s -> %s\n", l, s, cudaGetErrorString(e)); abort(); }
}

struct Graph {              // CSR, directed
    int n, m;
    const int *row;
    const int *col;
};

__global__ void fillInt(int *p, int v, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) p[i] = v;
}

// next has room for n vertices. All writers of dist[v] in one launch write the same level,
// so a plain test and store does, without an atomic on every edge.
__global__ void expand(Graph g, const int *__restrict__ frontier, int count, int *__restrict__ next,
                       int *nextCount, int *dist, int level)
{
    const int lane = threadIdx.x & 31;
    const int i = (blockIdx.x * blockDim.x + threadIdx.x) >> 5;
    if (i >= count) return;                     // whole warps leave
    const int u = frontier[i];
    const int begin = g.row[u], end = g.row[u + 1];
    for (int base = begin; base < end; base += 32) {
        const int e = base + lane;
        int v = 0;
        bool fresh = false;
        if (e < end) {
            v = __ldg(&g.col[e]);
            if (dist[v] < 0) {
                dist[v] = level;
                fresh = true;
            }
        }
        const unsigned mask = __ballot_sync(0xffffffffu, fresh);
        if (mask == 0) continue;
        int at = 0;
        if (lane == 0) at = atomicAdd(nextCount, __popc(mask));
        at = __shfl_sync(0xffffffffu, at, 0);
        if (fresh) next[at + __popc(mask & ((1u << lane) - 1u))] = v;
    }
}

static void bfs(const Graph &g, int source, int *dist, int *qa, int *qb, int *dCount)
{
    fillInt<<<(g.n + 255) / 256, 256>>>(dist, -1, g.n);
    int zero = 0, count = 1;
    HANDLE(cudaMemcpy(&dist[source], &zero, sizeof(int), cudaMemcpyHostToDevice));
    HANDLE(cudaMemcpy(qa, &source, sizeof(int), cudaMemcpyHostToDevice));
    for (int level = 1; count > 0; level++) {
        HANDLE(cudaMemcpy(dCount, &zero, sizeof(int), cudaMemcpyHostToDevice));
        expand<<<(count + 7) / 8, 256>>>(g, qa, count, qb, dCount, dist, level);
        HANDLE(cudaGetLastError());
        HANDLE(cudaMemcpy(&count, dCount, sizeof(int), cudaMemcpyDeviceToHost));
        int *t = qa; qa = qb; qb = t;
    }
}

int main()
{
    const int n = 30000, deg = 8;
    std::vector<int> row(n + 1), col;
    unsigned long long s = 1;
    for (int u = 0; u < n; u++) {
        row[u] = (int)col.size();
        for (int k = 0; k < deg; k++) {
            s = s * 6364136223846793005ull + 1442695040888963407ull;
            int v = (k < 2) ? (u + 1 + k * 97) % n : (int)((s >> 33) % (unsigned)n);
            col.push_back(v);
        }
    }
    row[n] = (int)col.size();

    int *dRow, *dCol, *dDist, *qa, *qb, *dCount;
    HANDLE(cudaMalloc(&dRow, row.size() * sizeof(int)));
    HANDLE(cudaMalloc(&dCol, col.size() * sizeof(int)));
    HANDLE(cudaMalloc(&dDist, n * sizeof(int)));
    HANDLE(cudaMalloc(&qa, n * sizeof(int)));
    HANDLE(cudaMalloc(&qb, n * sizeof(int)));
    HANDLE(cudaMalloc(&dCount, sizeof(int)));
    HANDLE(cudaMemcpy(dRow, row.data(), row.size() * sizeof(int), cudaMemcpyHostToDevice));
    HANDLE(cudaMemcpy(dCol, col.data(), col.size() * sizeof(int), cudaMemcpyHostToDevice));
    Graph g{n, (int)col.size(), dRow, dCol};

    const int sources[3] = {0, 777, 21415};
    std::vector<int> dist(n);
    for (int src : sources) {
        bfs(g, src, dDist, qa, qb, dCount);
        HANDLE(cudaMemcpy(dist.data(), dDist, n * sizeof(int), cudaMemcpyDeviceToHost));
        int ecc = 0, reached = 0; long long sum = 0;
        for (int v = 0; v < n; v++)
            if (dist[v] >= 0) { reached++; sum += dist[v]; if (dist[v] > ecc) ecc = dist[v]; }
        printf("source %d: reached %d, eccentricity %d, mean distance %.5f\n",
               src, reached, ecc, (double)sum / reached);
    }
    cudaFree(dRow); cudaFree(dCol); cudaFree(dDist); cudaFree(qa); cudaFree(qb); cudaFree(dCount);
    return 0;
}
