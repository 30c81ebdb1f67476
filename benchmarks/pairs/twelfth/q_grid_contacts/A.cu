// Broad + narrow phase for discs in a square arena: uniform grid with linked lists.
// For every disc: how many others it touches, and the deepest overlap.
#include <cuda_runtime.h>
#include <cstdio>
#include <cstdlib>
#include <vector>

struct Disc { float x, y, r; };

struct World {
    int   count;
    int   cells;      // cells per side
    float cell;       // side of a cell, >= largest diameter
};

inline void check(cudaError_t e) { if (e != cudaSuccess) { puts(cudaGetErrorString(e)); exit(1); } }

__device__ int cellOf(const World& w, float x, float y)
{
    int cx = min(max((int)(x / w.cell), 0), w.cells - 1);
    int cy = min(max((int)(y / w.cell), 0), w.cells - 1);
    return cy * w.cells + cx;
}

__global__ void clearHeads(int* head, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) head[i] = -1;
}

__global__ void link(World w, const Disc* d, int* head, int* next)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= w.count) return;
    next[i] = atomicExch(&head[cellOf(w, d[i].x, d[i].y)], i);
}

__global__ void contacts(World w, const Disc* d, const int* head, const int* next, int* touching, float* depth)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= w.count) return;
    Disc me = d[i];
    int c = cellOf(w, me.x, me.y);
    int cx = c % w.cells, cy = c / w.cells;
    int cnt = 0;
    float deepest = 0.f;
    for (int yy = max(cy - 1, 0); yy <= min(cy + 1, w.cells - 1); ++yy)
        for (int xx = max(cx - 1, 0); xx <= min(cx + 1, w.cells - 1); ++xx)
            for (int j = head[yy * w.cells + xx]; j >= 0; j = next[j]) {
                if (j == i) continue;
                float dx = d[j].x - me.x, dy = d[j].y - me.y;
                float rr = d[j].r + me.r;
                float q = dx * dx + dy * dy;
                if (q < rr * rr) {
                    ++cnt;
                    deepest = fmaxf(deepest, rr - sqrtf(q));
                }
            }
    touching[i] = cnt;
    depth[i] = deepest;
}

int main()
{
    World w;
    w.count = 9000;
    w.cells = 72;
    w.cell = 1.0f;
    std::vector<Disc> hd(w.count);
    unsigned s = 4242;
    auto rnd = [&s]() { s = s * 1664525u + 1013904223u; return (s >> 9) / 8388608.0f; };
    for (auto& d : hd) {
        d.x = rnd() * w.cells * w.cell;
        d.y = rnd() * w.cells * w.cell;
        d.r = 0.15f + 0.3f * rnd();
    }
    Disc* dd; int *head, *next, *tc; float* dp;
    int nc = w.cells * w.cells;
    check(cudaMalloc(&dd, w.count * sizeof(Disc)));
    check(cudaMalloc(&head, nc * sizeof(int)));
    check(cudaMalloc(&next, w.count * sizeof(int)));
    check(cudaMalloc(&tc, w.count * sizeof(int)));
    check(cudaMalloc(&dp, w.count * sizeof(float)));
    check(cudaMemcpy(dd, hd.data(), w.count * sizeof(Disc), cudaMemcpyHostToDevice));

    int b = 128, g = (w.count + b - 1) / b;
    clearHeads<<<(nc + b - 1) / b, b>>>(head, nc);
    link<<<g, b>>>(w, dd, head, next);
    contacts<<<g, b>>>(w, dd, head, next, tc, dp);
    check(cudaGetLastError());

    std::vector<int> ht(w.count);
    std::vector<float> hdp(w.count);
    check(cudaMemcpy(ht.data(), tc, w.count * sizeof(int), cudaMemcpyDeviceToHost));
    check(cudaMemcpy(hdp.data(), dp, w.count * sizeof(float), cudaMemcpyDeviceToHost));
    long pairs = 0; int most = 0; double sum = 0;
    for (int i = 0; i < w.count; ++i) {
        pairs += ht[i];
        if (ht[i] > most) most = ht[i];
        sum += hdp[i];
    }
    printf("%d discs, %ld touching pairs, most %d, mean depth %.6f\n", w.count, pairs / 2, most, sum / w.count);
    cudaFree(dd); cudaFree(head); cudaFree(next); cudaFree(tc); cudaFree(dp);
}
