// Bellman-Ford over an edge list. Edge costs may be negative (rebates); the graph has no negative cycle.
#include <cstdio>
#include <cstdlib>
#include <vector>
#include <algorithm>
#include <cuda_runtime.h>

static void check(cudaError_t e, int line) { if (e != cudaSuccess) { printf("line %d: %s\n", line, cudaGetErrorString(e)); exit(1); } }
#define CHECK(x) check((x), __LINE__)

struct Edge { int from, to; float cost; };
#define FAR_AWAY 1e30f

// The edge list is sorted by target on the host, so that a warp mostly writes to few targets:
// minima of equal targets are combined inside the warp, one native atomicMin per run remains.
__global__ void __launch_bounds__(256)
relax(const int* __restrict__ from, const int* __restrict__ to, const float* __restrict__ cost, int m,
      const float* __restrict__ in, float* __restrict__ out, int* __restrict__ changed)
{
    const int e = blockIdx.x * blockDim.x + threadIdx.x;
    const int lane = threadIdx.x & 31;
    int   target = -1;
    float cand = FAR_AWAY;
    if (e < m) {
        target = to[e];
        float d = in[from[e]];
        if (d < FAR_AWAY) cand = d + cost[e];
    }
    for (int o = 1; o < 32; o <<= 1) {              // segmented minimum, towards the first lane of a run
        float c = __shfl_down_sync(0xffffffffu, cand, o);
        int   t = __shfl_down_sync(0xffffffffu, target, o);
        if (lane + o < 32 && t == target) cand = fminf(cand, c);
    }
    int before = __shfl_up_sync(0xffffffffu, target, 1);
    bool head = target >= 0 && (lane == 0 || before != target);
    bool better = head && cand < in[target];
    if (better) atomicMin(reinterpret_cast<int*>(out + target), __float_as_int(cand));
    if (__syncthreads_or(better) && threadIdx.x == 0) *changed = 1;
}

int main()
{
    const int n = 6000, m = 48000;
    std::vector<float> hill(n);
    for (int v = 0; v < n; ++v) hill[v] = (float)(v * 29 % 64) * 0.125f;
    hill[0] = 48.0f;                                   // the depot lies high
    std::vector<Edge> E(m);
    unsigned r = 4242u;
    for (int e = 0; e < m; ++e) {
        r = r * 1664525u + 1013904223u; int a = (r >> 8) % n;
        r = r * 1664525u + 1013904223u; int b = (r >> 8) % n;
        if (e < n - 1) { a = e / 3; b = e + 1; }
        r = r * 1664525u + 1013904223u;
        float len = 1.0f + ((r >> 10) % 80) * 0.25f;
        E[e] = Edge{ a, b, len + hill[b] - hill[a] };
        if (a == 0) E[e].cost += 2.0f * hill[0];
    }
    std::stable_sort(E.begin(), E.end(), [](const Edge& x, const Edge& y) { return x.to < y.to; });
    std::vector<int> ef(m), et(m); std::vector<float> ec(m);
    for (int e = 0; e < m; ++e) { ef[e] = E[e].from; et[e] = E[e].to; ec[e] = E[e].cost; }
    int *dF, *dT; float *dC, *d0, *d1; int* flag;
    CHECK(cudaMalloc(&dF, m * sizeof(int)));
    CHECK(cudaMalloc(&dT, m * sizeof(int)));
    CHECK(cudaMalloc(&dC, m * sizeof(float)));
    CHECK(cudaMalloc(&d0, n * sizeof(float)));
    CHECK(cudaMalloc(&d1, n * sizeof(float)));
    CHECK(cudaMalloc(&flag, sizeof(int)));
    CHECK(cudaMemcpy(dF, ef.data(), m * sizeof(int), cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(dT, et.data(), m * sizeof(int), cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(dC, ec.data(), m * sizeof(float), cudaMemcpyHostToDevice));
    std::vector<float> dist(n, FAR_AWAY);
    dist[0] = 0.0f;
    CHECK(cudaMemcpy(d0, dist.data(), n * sizeof(float), cudaMemcpyHostToDevice));
    int rounds = 0, changed = 1;
    while (changed && rounds < n) {
        CHECK(cudaMemset(flag, 0, sizeof(int)));
        CHECK(cudaMemcpyAsync(d1, d0, n * sizeof(float), cudaMemcpyDeviceToDevice));
        relax<<<(m + 255) / 256, 256>>>(dF, dT, dC, m, d0, d1, flag);
        CHECK(cudaGetLastError());
        CHECK(cudaMemcpy(&changed, flag, sizeof(int), cudaMemcpyDeviceToHost));
        float* t = d0; d0 = d1; d1 = t;
        ++rounds;
    }
    CHECK(cudaMemcpy(dist.data(), d0, n * sizeof(float), cudaMemcpyDeviceToHost));
    double sum = 0; float lo = FAR_AWAY, hi = -FAR_AWAY;
    for (int v = 0; v < n; ++v) if (dist[v] < FAR_AWAY) { sum += dist[v]; if (dist[v] < lo) lo = dist[v]; if (dist[v] > hi) hi = dist[v]; }
    int neg = 0;
    for (const Edge& e : E) neg += e.cost < 0;
    printf("%d rounds, %d of %d edges with a rebate\n", rounds, neg, m);
    printf("sum of distances %.3f   min %.3f   max %.3f\n", sum, lo, hi);
    cudaFree(dF); cudaFree(dT); cudaFree(dC); cudaFree(d0); cudaFree(d1); cudaFree(flag);
    return 0;
}
