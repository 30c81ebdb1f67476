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

__global__ void triangles(const int *offs, const int *nbr, const int *from, int m,
                          unsigned int *perVertex, unsigned long long *total)
{
    int e = blockIdx.x * blockDim.x + threadIdx.x;
    if (e >= m) return;
    int u = from[e], v = nbr[e];
    int a = offs[u], aEnd = offs[u + 1];
    int b = offs[v], bEnd = offs[v + 1];
    while (a < aEnd && b < bEnd) {
        int x = nbr[a], y = nbr[b];
        if (x == y) {
            atomicAdd(&perVertex[u], 1u);
            atomicAdd(&perVertex[v], 1u);
            atomicAdd(&perVertex[x], 1u);
            atomicAdd(total, 1ull);
            a++;
            b++;
        } else if (x < y) {
            a++;
        } else {
            b++;
        }
    }
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

    triangles<<<(m + 127) / 128, 128>>>(dOffs, dNbr, dFrom, m, dPer, dTotal);
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
