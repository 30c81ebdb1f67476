// PageRank by pushing rank along out-edges, dangling mass spread evenly.
#include <cstdio>
#include <cstdlib>
#include <vector>
#include <algorithm>
#include <cuda_runtime.h>

#define CHECK_CUDA(x) do { cudaError_t rc_ = (x); if (rc_ != cudaSuccess) { fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, cudaGetErrorString(rc_)); return EXIT_FAILURE; } } while (0)

struct Graph { int v; std::vector<int> row, col; };

static Graph make_graph(int v)
{
    Graph g; g.v = v; g.row.assign(v + 1, 0);
    unsigned s = 97;
    auto rnd = [&] { s = s * 1664525u + 1013904223u; return (s >> 9); };
    for (int i = 0; i < v; i++) {
        int deg = rnd() % 12;
        if (i % 11 == 3) deg = 0;                  // dangling
        if (i % 400 == 17) deg = 900;              // hubs
        g.row[i + 1] = g.row[i] + deg;
        for (int e = 0; e < deg; e++) {
            unsigned r = rnd() % v;
            g.col.push_back((e & 1) ? (int)r : (int)((unsigned long long)r * r / v));   // popular low ids
        }
    }
    return g;
}

constexpr int GROUP = 8;                            // lanes that share one vertex

__global__ void __launch_bounds__(256)
push(const int* __restrict__ row, const int* __restrict__ col, const float* __restrict__ rank,
     float* __restrict__ next, float* __restrict__ dangling, int v)
{
    const int g = blockIdx.x * blockDim.x + threadIdx.x;
    const int u = g / GROUP, sub = g % GROUP;
    float lost = 0.0f;
    if (u < v) {
        const int b = __ldg(&row[u]), e = __ldg(&row[u + 1]);
        if (b == e) {
            if (sub == 0) lost = rank[u];
        } else {
            const float share = rank[u] / (e - b);
            for (int k = b + sub; k < e; k += GROUP) atomicAdd(&next[__ldg(&col[k])], share);
        }
    }
#pragma unroll
    for (int o = 16; o > 0; o >>= 1) lost += __shfl_xor_sync(0xffffffffu, lost, o);
    if ((threadIdx.x & 31) == 0 && lost != 0.0f) atomicAdd(dangling, lost);
}

// also clears the accumulator for the next sweep
__global__ void __launch_bounds__(256)
finish(float* __restrict__ rank, float* __restrict__ next, const float* __restrict__ dangling, float damp, int v)
{
    const int u = blockIdx.x * blockDim.x + threadIdx.x;
    if (u >= v) return;
    rank[u] = (1.0f - damp) / v + damp * (next[u] + *dangling / v);
    next[u] = 0.0f;
}

int main()
{
    const int v = 8100, iters = 4;
    Graph g = make_graph(v);
    std::vector<float> rank(v, 1.0f / v);
    int *row, *col; float *r, *nx, *dang;
    CHECK_CUDA(cudaMalloc(&row, (v + 1) * sizeof(int)));
    CHECK_CUDA(cudaMalloc(&col, g.col.size() * sizeof(int)));
    CHECK_CUDA(cudaMalloc(&r, v * sizeof(float)));
    CHECK_CUDA(cudaMalloc(&nx, v * sizeof(float)));
    CHECK_CUDA(cudaMalloc(&dang, iters * sizeof(float)));
    CHECK_CUDA(cudaMemcpy(row, g.row.data(), (v + 1) * sizeof(int), cudaMemcpyHostToDevice));
    CHECK_CUDA(cudaMemcpy(col, g.col.data(), g.col.size() * sizeof(int), cudaMemcpyHostToDevice));
    CHECK_CUDA(cudaMemcpy(r, rank.data(), v * sizeof(float), cudaMemcpyHostToDevice));
    CHECK_CUDA(cudaMemset(dang, 0, iters * sizeof(float)));
    CHECK_CUDA(cudaMemset(nx, 0, v * sizeof(float)));
    for (int it = 0; it < iters; it++) {
        push<<<(v * GROUP + 255) / 256, 256>>>(row, col, r, nx, dang + it, v);
        finish<<<(v + 255) / 256, 256>>>(r, nx, dang + it, 0.85f, v);
    }
    CHECK_CUDA(cudaGetLastError());
    CHECK_CUDA(cudaMemcpy(rank.data(), r, v * sizeof(float), cudaMemcpyDeviceToHost));
    double sum = 0, w = 0;
    for (int i = 0; i < v; i++) { sum += rank[i]; w += (double)rank[i] * i; }
    printf("edges %zu  sum %.6f  mean id %.3f\n", g.col.size(), sum, w / sum);
    for (int i = 0; i < v; i += 1300) printf("rank[%d] = %.6e\n", i, rank[i]);
    cudaFree(row); cudaFree(col); cudaFree(r); cudaFree(nx); cudaFree(dang);
    return 0;
}
