// Triangle counting. Edges point from the lower to the higher rank (degree, then id);
// the graph is simple, adjacency lists are sorted; one warp per vertex.
#include <cstdio>
#include <cstdlib>
#include <vector>
#include <algorithm>
#include <cuda_runtime.h>

static void die(const char* m, cudaError_t e) { std::fprintf(stderr, "%s: %s\n", m, cudaGetErrorString(e)); std::exit(1); }
#define RT(x) do { cudaError_t e__ = (x); if (e__ != cudaSuccess) die(#x, e__); } while (0)

struct Dag { int n, m; std::vector<int> ptr, dst; };

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
    for (auto& p : e) { ++g.ptr[p.first + 1]; g.dst.push_back(p.second); }
    for (int v = 0; v < n; ++v) g.ptr[v + 1] += g.ptr[v];
    return g;
}

#define WARPS 4
#define CACHE 512

// A warp takes a vertex u and keeps its list in shared memory (as much of it as fits, the rest
// is searched in global memory). For every neighbour v the lanes take the members of v's list
// and look them up in u's list by bisection.
__global__ void __launch_bounds__(WARPS * 32)
countTriangles(const int* __restrict__ ptr, const int* __restrict__ dst, int n, unsigned long long* __restrict__ total)
{
    __shared__ int cache[WARPS][CACHE];
    __shared__ unsigned long long part[WARPS];
    const int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
    int* mine = cache[warp];
    unsigned long long c = 0;

    for (int u = blockIdx.x * WARPS + warp; u < n; u += gridDim.x * WARPS) {
        const int begin = ptr[u], len = ptr[u + 1] - begin;
        if (len < 2) continue;                          // the same for the whole warp
        const int cached = min(len, CACHE);
        for (int k = lane; k < cached; k += 32) mine[k] = dst[begin + k];
        __syncwarp();
        for (int k = 0; k < len; ++k) {
            const int v = k < cached ? mine[k] : dst[begin + k];
            const int vEnd = ptr[v + 1];
            for (int j = ptr[v] + lane; j < vEnd; j += 32) {
                const int w = dst[j];
                int lo = 0, hi = len;                   // first position with list[pos] >= w
                while (lo < hi) {
                    int mid = (lo + hi) >> 1;
                    int x = mid < cached ? mine[mid] : dst[begin + mid];
                    if (x < w) lo = mid + 1; else hi = mid;
                }
                if (lo < len) c += (lo < cached ? mine[lo] : dst[begin + lo]) == w;
            }
        }
        __syncwarp();                                   // before the cache is filled again
    }
    for (int o = 16; o > 0; o >>= 1) c += __shfl_down_sync(0xffffffffu, c, o);
    if (lane == 0) part[warp] = c;
    __syncthreads();
    if (threadIdx.x == 0) {
        for (int k = 1; k < WARPS; ++k) c += part[k];
        if (c) atomicAdd(total, c);
    }
}

int main()
{
    Dag g = makeDag(9000, 110000);
    int *ptr, *dst; unsigned long long *total, h = 0;
    RT(cudaMalloc(&ptr, g.ptr.size() * sizeof(int)));
    RT(cudaMalloc(&dst, g.m * sizeof(int)));
    RT(cudaMalloc(&total, sizeof(*total)));
    RT(cudaMemcpy(ptr, g.ptr.data(), g.ptr.size() * sizeof(int), cudaMemcpyHostToDevice));
    RT(cudaMemcpy(dst, g.dst.data(), g.m * sizeof(int), cudaMemcpyHostToDevice));
    RT(cudaMemset(total, 0, sizeof(*total)));
    int blocks = (g.n + WARPS - 1) / WARPS;
    if (blocks > 1056) blocks = 1056;
    countTriangles<<<blocks, WARPS * 32>>>(ptr, dst, g.n, total);
    RT(cudaGetLastError());
    RT(cudaMemcpy(&h, total, sizeof(h), cudaMemcpyDeviceToHost));
    int longest = 0;
    for (int v = 0; v < g.n; ++v) longest = std::max(longest, g.ptr[v + 1] - g.ptr[v]);
    std::printf("%d vertices, %d edges, longest list %d\n", g.n, g.m, longest);
    std::printf("%llu triangles\n", h);
    cudaFree(ptr); cudaFree(dst); cudaFree(total);
    return 0;
}
