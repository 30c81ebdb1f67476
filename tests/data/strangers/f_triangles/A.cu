// Triangle counting. Edges point from the lower to the higher rank (degree, then id);
// the graph is simple, adjacency lists are sorted; one thread intersects the two lists of an edge by merging.
#include <cstdio>
#include <cstdlib>
#include <vector>
#include <algorithm>
#include <cuda_runtime.h>

static void die(const char* m, cudaError_t e) { std::fprintf(stderr, "%s: %s\n", m, cudaGetErrorString(e)); std::exit(1); }
#define RT(x) do { cudaError_t e__ = (x); if (e__ != cudaSuccess) die(#x, e__); } while (0)

struct Dag { int n, m; std::vector<int> ptr, dst, src; };

static Dag makeDag(int n, int tries)
{
    std::vector<std::pair<int, int>> e;
    unsigned s = 31337u;
    auto next = [&]() { s ^= s << 13; s ^= s >> 17; s ^= s << 5; return s; };
    for (int t = 0; t < tries; ++t) {
        int a = (int)(next() % (unsigned)n), b = (t % 3) ? (a + 1 + (int)(next() % 40u)) % n : (int)(next() % (unsigned)n);
        if (t % 5 == 0) b = (int)(next() % 30u);        // hubs
        if (a == b) continue;
        e.push_back({ std::min(a, b), std::max(a, b) });
    }
    std::sort(e.begin(), e.end());
    e.erase(std::unique(e.begin(), e.end()), e.end());
    std::vector<int> deg(n, 0);
    for (auto& p : e) { ++deg[p.first]; ++deg[p.second]; }
    for (auto& p : e)
        if (deg[p.first] > deg[p.second]) std::swap(p.first, p.second);
    std::sort(e.begin(), e.end());
    Dag g; g.n = n; g.m = (int)e.size(); g.ptr.assign(n + 1, 0);
    for (auto& p : e) { ++g.ptr[p.first + 1]; g.dst.push_back(p.second); g.src.push_back(p.first); }
    for (int v = 0; v < n; ++v) g.ptr[v + 1] += g.ptr[v];
    return g;
}

__global__ void countTriangles(const int* ptr, const int* src, const int* dst, int m, unsigned long long* total)
{
    int e = blockIdx.x * blockDim.x + threadIdx.x;
    if (e >= m) return;
    int i = ptr[src[e]], iEnd = ptr[src[e] + 1];
    int j = ptr[dst[e]], jEnd = ptr[dst[e] + 1];
    unsigned long long c = 0;
    while (i < iEnd && j < jEnd) {
        int a = dst[i], b = dst[j];
        if (a == b) { ++c; ++i; ++j; }
        else if (a < b) ++i;
        else ++j;
    }
    if (c) atomicAdd(total, c);
}

int main()
{
    Dag g = makeDag(9000, 110000);
    int *ptr, *src, *dst; unsigned long long *total, h = 0;
    RT(cudaMalloc(&ptr, g.ptr.size() * sizeof(int)));
    RT(cudaMalloc(&src, g.m * sizeof(int)));
    RT(cudaMalloc(&dst, g.m * sizeof(int)));
    RT(cudaMalloc(&total, sizeof(*total)));
    RT(cudaMemcpy(ptr, g.ptr.data(), g.ptr.size() * sizeof(int), cudaMemcpyHostToDevice));
    RT(cudaMemcpy(src, g.src.data(), g.m * sizeof(int), cudaMemcpyHostToDevice));
    RT(cudaMemcpy(dst, g.dst.data(), g.m * sizeof(int), cudaMemcpyHostToDevice));
    RT(cudaMemset(total, 0, sizeof(*total)));
    countTriangles<<<(g.m + 255) / 256, 256>>>(ptr, src, dst, g.m, total);
    RT(cudaGetLastError());
    RT(cudaMemcpy(&h, total, sizeof(h), cudaMemcpyDeviceToHost));
    int longest = 0;
    for (int v = 0; v < g.n; ++v) longest = std::max(longest, g.ptr[v + 1] - g.ptr[v]);
    std::printf("%d vertices, %d edges, longest list %d\n", g.n, g.m, longest);
    std::printf("%llu triangles\n", h);
    cudaFree(ptr); cudaFree(src); cudaFree(dst); cudaFree(total);
    return 0;
}
