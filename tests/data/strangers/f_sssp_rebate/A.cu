// Bellman-Ford over an edge list. Edge costs may be negative (rebates); the graph has no negative cycle.
#include <cstdio>
#include <cstdlib>
#include <vector>
#include <cuda_runtime.h>

static void check(cudaError_t e, int line) { if (e != cudaSuccess) { printf("line %d: %s\n", line, cudaGetErrorString(e)); exit(1); } }
#define CHECK(x) check((x), __LINE__)

struct Edge { int from, to; float cost; };
static const float FAR_AWAY = 1e30f;

__device__ float lowerTo(float* addr, float value)
{
    int* ia = (int*)addr;
    int seen = *ia;
    while (value < __int_as_float(seen)) {
        int before = atomicCAS(ia, seen, __float_as_int(value));
        if (before == seen) break;
        seen = before;
    }
    return __int_as_float(seen);
}

__global__ void copyDist(const float* in, float* out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = in[i];
}

__global__ void relax(const Edge* edges, int m, const float* in, float* out, int* changed)
{
    int e = blockIdx.x * blockDim.x + threadIdx.x;
    if (e >= m) return;
    Edge ed = edges[e];
    float d = in[ed.from];
    if (d >= FAR_AWAY) return;
    float cand = d + ed.cost;
    if (cand < in[ed.to]) {
        lowerTo(&out[ed.to], cand);
        atomicExch(changed, 1);
    }
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
    Edge* dE; float *d0, *d1; int* flag;
    CHECK(cudaMalloc(&dE, m * sizeof(Edge)));
    CHECK(cudaMalloc(&d0, n * sizeof(float)));
    CHECK(cudaMalloc(&d1, n * sizeof(float)));
    CHECK(cudaMalloc(&flag, sizeof(int)));
    CHECK(cudaMemcpy(dE, E.data(), m * sizeof(Edge), cudaMemcpyHostToDevice));
    std::vector<float> dist(n, FAR_AWAY);
    dist[0] = 0.0f;
    CHECK(cudaMemcpy(d0, dist.data(), n * sizeof(float), cudaMemcpyHostToDevice));
    int rounds = 0, changed = 1;
    while (changed && rounds < n) {
        CHECK(cudaMemset(flag, 0, sizeof(int)));
        copyDist<<<(n + 255) / 256, 256>>>(d0, d1, n);
        relax<<<(m + 255) / 256, 256>>>(dE, m, d0, d1, flag);
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
    cudaFree(dE); cudaFree(d0); cudaFree(d1); cudaFree(flag);
    return 0;
}
