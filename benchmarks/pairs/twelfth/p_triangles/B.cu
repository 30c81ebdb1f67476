// Triangle counting on an undirected graph: edges are oriented from the smaller to the larger
// id, neighbour lists are sorted, each edge (u, v) intersects the lists of u and v.
// Also the number of triangles each vertex takes part in.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <set>
#include <utility>
#include <vector>
#include <cuda_runtime.h>

#define ERRCHK(stmt) do { cudaError_t rc = (stmt); if (rc != cudaSuccess) { \
    std::printf("error %d in line %d: %s\n", (int)rc, __LINE__, cudaGetErrorString(rc)); std::exit(1); } } while (false)

constexpr int WARPS = 4;

// position of x in sorted list[0..len), or -1
__device__ __forceinline__ int findSorted(const int *__restrict__ list, int len, int x)
{
    int lo = 0, hi = len;
    while (lo < hi) {
        int mid = (lo + hi) >> 1;
        if (__ldg(list + mid) < x) lo = mid + 1;
        else hi = mid;
    }
    return (lo < len && __ldg(list + lo) == x) ? lo : -1;
}

// A warp per edge: the lanes take the elements of the shorter list and search them in the
// longer one. Counts of u, v and the total are collected by ballots.
__global__ void triangles(const int *__restrict__ offs, const int *__restrict__ nbr,
                          const int *__restrict__ from, int m,
                          unsigned int *perVertex, unsigned long long *total)
{
    __shared__ unsigned int blockTotal;
    if (threadIdx.x == 0) blockTotal = 0;
    __syncthreads();

    const int lane = threadIdx.x & 31;
    const int e = blockIdx.x * WARPS + (threadIdx.x >> 5);
    if (e < m) {                                  // the same for a whole warp
        const int u = from[e], v = nbr[e];
        const int *small = nbr + offs[u], *big = nbr + offs[v];
        int nSmall = offs[u + 1] - offs[u], nBig = offs[v + 1] - offs[v];
        if (nSmall > nBig) {
            const int *t = small; small = big; big = t;
            const int k = nSmall; nSmall = nBig; nBig = k;
        }
        unsigned int found = 0;
        for (int base = 0; base < nSmall; base += 32) {
            const int i = base + lane;
            bool hit = false;
            if (i < nSmall) {
                const int x = __ldg(small + i);
                hit = findSorted(big, nBig, x) >= 0;
                if (hit) atomicAdd(&perVertex[x], 1u);
            }
            found += __popc(__ballot_sync(0xffffffffu, hit));
        }
        if (lane == 0 && found) {
            atomicAdd(&perVertex[u], found);
            atomicAdd(&perVertex[v], found);
            atomicAdd(&blockTotal, found);
        }
    }
    __syncthreads();
    if (threadIdx.x == 0 && blockTotal) atomicAdd(total, (unsigned long long)blockTotal);
}

int main()
{
    const int n = 4000;
    std::set<std::pair<int, int>> edges;
    unsigned s = 17;
    auto rnd = [&](int k) { s = s * 1664525u + 1013904223u; return (int)((s >> 8) % (unsigned)k); };
    for (int u = 0; u < n; u++) {
        for (int k = 1; k <= 4; k++) edges.insert(std::minmax({u, (u + k) % n}));       // ring lattice
        for (int k = 0; k < 3; k++) {                                                   // hubs
            int h = rnd(60) * rnd(60) / 60 * 7;
            if (h != u) edges.insert(std::minmax({u, h}));
        }
    }
    std::vector<int> offs(n + 1, 0), nbr, from;
    for (auto &e : edges) {           // std::set: sorted by (u, v), unique
        from.push_back(e.first);
        nbr.push_back(e.second);
        offs[e.first + 1]++;
    }
    for (int u = 0; u < n; u++) offs[u + 1] += offs[u];
    const int m = (int)nbr.size();

    int *dOffs, *dNbr, *dFrom;
    unsigned int *dPer;
    unsigned long long *dTotal;
    ERRCHK(cudaMalloc(&dOffs, (n + 1) * sizeof(int)));
    ERRCHK(cudaMalloc(&dNbr, m * sizeof(int)));
    ERRCHK(cudaMalloc(&dFrom, m * sizeof(int)));
    ERRCHK(cudaMalloc(&dPer, n * sizeof(unsigned int)));
    ERRCHK(cudaMalloc(&dTotal, sizeof(unsigned long long)));
    ERRCHK(cudaMemcpy(dOffs, offs.data(), (n + 1) * sizeof(int), cudaMemcpyHostToDevice));
    ERRCHK(cudaMemcpy(dNbr, nbr.data(), m * sizeof(int), cudaMemcpyHostToDevice));
    ERRCHK(cudaMemcpy(dFrom, from.data(), m * sizeof(int), cudaMemcpyHostToDevice));
    ERRCHK(cudaMemset(dPer, 0, n * sizeof(unsigned int)));
    ERRCHK(cudaMemset(dTotal, 0, sizeof(unsigned long long)));

    triangles<<<(m + WARPS - 1) / WARPS, 32 * WARPS>>>(dOffs, dNbr, dFrom, m, dPer, dTotal);
    ERRCHK(cudaGetLastError());

    std::vector<unsigned int> per(n);
    unsigned long long total = 0;
    ERRCHK(cudaMemcpy(per.data(), dPer, n * sizeof(unsigned int), cudaMemcpyDeviceToHost));
    ERRCHK(cudaMemcpy(&total, dTotal, sizeof total, cudaMemcpyDeviceToHost));
    unsigned long long sum = 0, w = 0;
    int top = 0;
    for (int v = 0; v < n; v++) {
        sum += per[v];
        w += (unsigned long long)per[v] * (v + 1);
        if (per[v] > per[top]) top = v;
    }
    std::printf("%d edges, %llu triangles (3x = %llu), vertex %d has %u, weighted %llu\n",
                m, total, sum, top, per[top], w);
    cudaFree(dOffs); cudaFree(dNbr); cudaFree(dFrom); cudaFree(dPer); cudaFree(dTotal);
    return 0;
}
