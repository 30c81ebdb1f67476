// reflection-probability map (counting model) from a 3-D lidar that was flattened to 2-D beams;
// the counts go on growing for as long as the robot maps
#include <cuda_runtime.h>
#include <iostream>
#include <iomanip>
#include <vector>
#include <cmath>
#include <cstdint>

#define CHECK(call) do { cudaError_t err = call; if (err != cudaSuccess) { \
  std::cerr << "CUDA failure at line " << __LINE__ << ": " << cudaGetErrorString(err) << std::endl; return 1; } } while (false)

struct Beam { float ex, ey; int hit; };         // end point in cells, hit=0: max range, nothing there

class OccParams { public: int w, h; float prior_hit, prior_miss; };

// hit and miss counters of a cell share one word: hits in the upper half, misses in the lower half.
// One counter plane instead of two: half the memory to clear and read, and both counters arrive with one load.
#define ONE_HIT  0x00010000u
#define ONE_MISS 0x00000001u

__global__ void castBeams(const Beam* __restrict__ beams, int n, int sx, int sy, OccParams p, uint32_t* __restrict__ cnt)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const Beam b = beams[i];
    int x = sx, y = sy;
    const int x1 = (int)floorf(b.ex), y1 = (int)floorf(b.ey);
    const int dx = abs(x1 - x), dy = -abs(y1 - y);
    const int stx = x < x1 ? 1 : -1, sty = y < y1 ? 1 : -1;
    const int steps = max(dx, -dy);
    int err = dx + dy;
    int cell = y * p.w + x;
    for (int k = 0; k < steps; ++k) {
        if ((unsigned)x >= (unsigned)p.w || (unsigned)y >= (unsigned)p.h) return;
        atomicAdd(cnt + cell, ONE_MISS);
        int e2 = 2 * err;
        if (e2 >= dy) { err += dy; x += stx; cell += stx; }
        if (e2 <= dx) { err += dx; y += sty; cell += sty * p.w; }
    }
    if ((unsigned)x < (unsigned)p.w && (unsigned)y < (unsigned)p.h)
        atomicAdd(cnt + cell, b.hit ? ONE_HIT : ONE_MISS);
}

__global__ void toProbability(OccParams p, int cells, const uint32_t* __restrict__ cnt, float* __restrict__ prob)
{
    for (int c = blockIdx.x * blockDim.x + threadIdx.x; c < cells; c += gridDim.x * blockDim.x) {
        const uint32_t v = cnt[c];
        const float hsum = (float)(v >> 16) + p.prior_hit;
        const float msum = (float)(v & 0xffffu) + p.prior_miss;
        prob[c] = hsum / (hsum + msum);
    }
}

int main()
{
    OccParams p; p.w = 400; p.h = 300; p.prior_hit = 0.5f; p.prior_miss = 0.5f;
    const int nscan = 3, n = 36000;            // beams per revolution of this sensor
    const int cells = p.w * p.h;
    uint32_t* dc; float* dl; Beam* db;
    CHECK(cudaMalloc(&dc, cells * sizeof(uint32_t)));
    CHECK(cudaMalloc(&dl, cells * sizeof(float)));
    CHECK(cudaMalloc(&db, n * sizeof(Beam)));
    CHECK(cudaMemset(dc, 0, cells * sizeof(uint32_t)));

    std::vector<Beam> beams(n);
    uint32_t rng = 2463534242u;
    for (int s = 0; s < nscan; ++s) {
        int sx = 180 + 14 * s, sy = 140 + 9 * s;
        for (int i = 0; i < n; ++i) {
            rng ^= rng << 13; rng ^= rng >> 17; rng ^= rng << 5;
            float a = 6.2831853f * i / n;
            float jitter = (rng & 1023) * (1.5f / 1024.0f);
            float r = 60.0f + 25.0f * std::sin(3 * a) + 10.0f * std::cos(7 * a + s) + jitter;
            beams[i].hit = ((rng >> 12) % 11) != 0;
            if (!beams[i].hit) r = 110.0f;
            beams[i].ex = sx + 0.5f + r * std::cos(a);
            beams[i].ey = sy + 0.5f + r * std::sin(a);
        }
        CHECK(cudaMemcpy(db, beams.data(), n * sizeof(Beam), cudaMemcpyHostToDevice));
        castBeams<<<(n + 127) / 128, 128>>>(db, n, sx, sy, p, dc);
        CHECK(cudaGetLastError());
    }
    toProbability<<<(cells + 511) / 512, 256>>>(p, cells, dc, dl);
    CHECK(cudaGetLastError());
    std::vector<float> l(cells);
    CHECK(cudaMemcpy(l.data(), dl, cells * sizeof(float), cudaMemcpyDeviceToHost));
    double sum = 0; int occ = 0, fre = 0;
    for (float v : l) { sum += v; occ += v > 0.55f; fre += v < 0.2f; }
    std::cout << std::setprecision(9) << "sum " << sum << " occupied " << occ << " free " << fre << "\n";
    for (int y = 20; y < p.h; y += 52) {
        for (int x = 20; x < p.w; x += 9) std::cout << (l[y * p.w + x] > 0.55f ? '#' : l[y * p.w + x] < 0.2f ? '.' : ' ');
        std::cout << "\n";
    }
    cudaFree(dc); cudaFree(dl); cudaFree(db);
    return 0;
}
