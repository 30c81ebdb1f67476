// Broad + narrow phase for discs in a square arena: uniform grid with buckets
// (contiguous per cell, so no pointer chasing).
// For every disc: how many others it touches, and the deepest overlap.
#include <cuda_runtime.h>
#include <cstdio>
#include <cstdlib>
#include <vector>

constexpr int BUCKET = 16;

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

__global__ void fill(World w, const Disc* __restrict__ d, int* fillCount, int* __restrict__ bucketId, Disc* __restrict__ bucket)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= w.count) return;
    Disc me = d[i];
    int c = cellOf(w, me.x, me.y);
    int slot = atomicAdd(&fillCount[c], 1);
    if (slot < BUCKET) {
        bucketId[c * BUCKET + slot] = i;
        bucket[c * BUCKET + slot] = me;
    }
}

__global__ void contacts(World w, const Disc* __restrict__ d, const int* __restrict__ fillCount,
                         const int* __restrict__ bucketId, const Disc* __restrict__ bucket,
                         int* __restrict__ touching, float* __restrict__ depth)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= w.count) return;
    Disc me = d[i];
    int c = cellOf(w, me.x, me.y);
    int cx = c % w.cells, cy = c / w.cells;
    int x0 = max(cx - 1, 0), x1 = min(cx + 1, w.cells - 1);
    int cnt = 0;
    float deepest = 0.f;
    for (int yy = max(cy - 1, 0); yy <= min(cy + 1, w.cells - 1); ++yy)
        for (int xx = x0; xx <= x1; ++xx) {
            int cell = yy * w.cells + xx;
            int k = min(fillCount[cell], BUCKET);
            const Disc* q0 = bucket + cell * BUCKET;
            const int* id = bucketId + cell * BUCKET;
            for (int t = 0; t < k; ++t) {
                Disc o = q0[t];
                float dx = o.x - me.x, dy = o.y - me.y;
                float rr = o.r + me.r;
                float q = dx * dx + dy * dy;
                if (q < rr * rr && id[t] != i) {
                    ++cnt;
                    deepest = fmaxf(deepest, rr - sqrtf(q));
                }
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
    Disc *dd, *bucket; int *fillCount, *bucketId, *tc; float* dp;
    int nc = w.cells * w.cells;
    check(cudaMalloc(&dd, w.count * sizeof(Disc)));
    check(cudaMalloc(&fillCount, nc * sizeof(int)));
    check(cudaMalloc(&bucketId, (size_t)nc * BUCKET * sizeof(int)));
    check(cudaMalloc(&bucket, (size_t)nc * BUCKET * sizeof(Disc)));
    check(cudaMalloc(&tc, w.count * sizeof(int)));
    check(cudaMalloc(&dp, w.count * sizeof(float)));
    check(cudaMemcpy(dd, hd.data(), w.count * sizeof(Disc), cudaMemcpyHostToDevice));

    int b = 128, g = (w.count + b - 1) / b;
    check(cudaMemset(fillCount, 0, nc * sizeof(int)));
    fill<<<g, b>>>(w, dd, fillCount, bucketId, bucket);
    contacts<<<g, b>>>(w, dd, fillCount, bucketId, bucket, tc, dp);
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
    cudaFree(dd); cudaFree(fillCount); cudaFree(bucketId); cudaFree(bucket); cudaFree(tc); cudaFree(dp);
}
