// Occupancy grid mapping from simulated lidar sweeps (log-odds in integer centi-units).
// A sweep is integrated as a whole: all evidence of the sweep is summed, then the map is updated and saturated.
#include <cstdio>
#include <cstdlib>
#include <cmath>
#include <vector>
#include <cuda_runtime.h>

#define CUDA_CHECK(x) do { cudaError_t err = (x); if (err != cudaSuccess) { \
    std::fprintf(stderr, "CUDA: %s (%s:%d)\n", cudaGetErrorString(err), __FILE__, __LINE__); std::exit(1); } } while (0)

struct Pose { float x, y, th; };
struct Grid { int w, h; float res; };

constexpr int HIT = 85, MISS = -40, LIMIT = 350;

__global__ void castRays(Grid g, Pose p, const float* range, int beams, float maxRange, int* evidence)
{
    int b = blockIdx.x * blockDim.x + threadIdx.x;
    if (b >= beams) return;
    float a = p.th + 6.28318531f * b / beams;
    float ca = cosf(a), sa = sinf(a);
    float r = range[b];
    bool hit = r < maxRange;
    float end = hit ? r : maxRange;
    int last = -1;
    int hx = (int)floorf((p.x + end * ca) / g.res);
    int hy = (int)floorf((p.y + end * sa) / g.res);
    int hitCell = (hx >= 0 && hy >= 0 && hx < g.w && hy < g.h) ? hy * g.w + hx : -1;
    int steps = (int)(end / (0.5f * g.res));
    for (int k = 0; k < steps; ++k) {
        float d = k * 0.5f * g.res;
        int x = (int)floorf((p.x + d * ca) / g.res);
        int y = (int)floorf((p.y + d * sa) / g.res);
        if (x < 0 || y < 0 || x >= g.w || y >= g.h) break;
        int c = y * g.w + x;
        if (c == last || (hit && c == hitCell)) continue;
        last = c;
        atomicAdd(&evidence[c], MISS);
    }
    if (hit && hitCell >= 0)
        atomicAdd(&evidence[hitCell], HIT);
}

__global__ void integrate(int* logodds, int* evidence, int cells)
{
    int c = blockIdx.x * blockDim.x + threadIdx.x;
    if (c >= cells) return;
    int v = logodds[c] + evidence[c];
    logodds[c] = min(max(v, -LIMIT), LIMIT);
    evidence[c] = 0;
}

// rectangular room with a pillar
static float measure(Pose p, float a, float room, float maxRange)
{
    float ca = std::cos(a), sa = std::sin(a), best = maxRange;
    if (ca > 1e-4f)  best = std::fmin(best, (room - p.x) / ca);
    if (ca < -1e-4f) best = std::fmin(best, (1.f - p.x) / ca);
    if (sa > 1e-4f)  best = std::fmin(best, (room - p.y) / sa);
    if (sa < -1e-4f) best = std::fmin(best, (1.f - p.y) / sa);
    float ox = p.x - 7.f, oy = p.y - 8.f, b = ox * ca + oy * sa, c = ox * ox + oy * oy - 0.8f;
    float disc = b * b - c;
    if (disc > 0.f && -b - std::sqrt(disc) > 0.f) best = std::fmin(best, -b - std::sqrt(disc));
    return best;
}

int main()
{
    Grid g{256, 256, 0.1f};
    const int beams = 2880, sweeps = 12, cells = g.w * g.h;
    const float maxRange = 14.f;

    int *dLog, *dEv;
    float* dRange;
    CUDA_CHECK(cudaMalloc(&dLog, cells * sizeof(int)));
    CUDA_CHECK(cudaMalloc(&dEv, cells * sizeof(int)));
    CUDA_CHECK(cudaMalloc(&dRange, beams * sizeof(float)));
    CUDA_CHECK(cudaMemset(dLog, 0, cells * sizeof(int)));
    CUDA_CHECK(cudaMemset(dEv, 0, cells * sizeof(int)));

    std::vector<float> range(beams);
    for (int s = 0; s < sweeps; ++s) {
        Pose p{4.f + 0.9f * s, 5.f + 0.35f * s, 0.1f * s};
        for (int b = 0; b < beams; ++b) {
            float jitter = 0.04f * (((b * 7919 + s * 104729) % 101) / 100.f - 0.5f);
            range[b] = measure(p, p.th + 6.28318531f * b / beams, 21.f, maxRange);
            if (range[b] < maxRange) range[b] += jitter;
        }
        CUDA_CHECK(cudaMemcpy(dRange, range.data(), beams * sizeof(float), cudaMemcpyHostToDevice));
        castRays<<<(beams + 127) / 128, 128>>>(g, p, dRange, beams, maxRange, dEv);
        integrate<<<(cells + 255) / 256, 256>>>(dLog, dEv, cells);
        CUDA_CHECK(cudaGetLastError());
    }

    std::vector<int> map(cells);
    CUDA_CHECK(cudaMemcpy(map.data(), dLog, cells * sizeof(int), cudaMemcpyDeviceToHost));
    int freeCells = 0, occ = 0, unknown = 0;
    long long sum = 0;
    for (int c = 0; c < cells; ++c) {
        sum += map[c];
        if (map[c] > 0) ++occ; else if (map[c] < 0) ++freeCells; else ++unknown;
    }
    std::printf("occupied %d free %d unknown %d  sum %lld\n", occ, freeCells, unknown, sum);
    CUDA_CHECK(cudaFree(dLog)); CUDA_CHECK(cudaFree(dEv)); CUDA_CHECK(cudaFree(dRange));
    return 0;
}
