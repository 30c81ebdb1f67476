// Log-odds occupancy grid from planar laser scans.
#include <cuda_runtime.h>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

#define CUDA_TRY(x)                                                         \
    if (cudaError_t e_ = (x); e_ != cudaSuccess) {                          \
        std::printf("%s -> %s\n", #x, cudaGetErrorString(e_));              \
        std::exit(1);                                                       \
    }

struct Pose { int cx, cy; };                 // robot cell
struct Hit { short dx, dy; };                // end cell of a beam relative to the robot; (0,0) = no return

// log-odds steps (1/16) and limits; a cell never gets more certain than this,
// so that the map follows doors that open and people who walk away
constexpr int L_HIT = 14, L_MISS = -6, L_MIN = -32, L_MAX = 56;

// one thread per beam: Bresenham line, free cells get L_MISS, the end cell gets L_HIT
__global__ void castScan(const Hit *beams, int nBeams, Pose p, int *delta, int W, int H)
{
    int b = blockIdx.x * blockDim.x + threadIdx.x;
    if (b >= nBeams) return;
    Hit h = beams[b];
    if (h.dx == 0 && h.dy == 0) return;
    int x = p.cx, y = p.cy, x1 = p.cx + h.dx, y1 = p.cy + h.dy;
    int dx = abs(x1 - x), sx = x < x1 ? 1 : -1;
    int dy = -abs(y1 - y), sy = y < y1 ? 1 : -1;
    int err = dx + dy;
    while (true) {
        bool end = x == x1 && y == y1;
        if (x >= 0 && y >= 0 && x < W && y < H)
            atomicAdd(&delta[y * W + x], end ? L_HIT : L_MISS);
        if (end) break;
        int e2 = 2 * err;
        if (e2 >= dy) { err += dy; x += sx; }
        if (e2 <= dx) { err += dx; y += sy; }
    }
}

__global__ void mergeScan(int *grid, int *delta, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    int v = grid[i] + delta[i];
    grid[i] = min(max(v, L_MIN), L_MAX);
    delta[i] = 0;
}

int main()
{
    const int W = 200, H = 160, beams = 720, scans = 12;
    std::vector<Hit> all(beams * scans);
    std::vector<Pose> poses(scans);
    for (int s = 0; s < scans; s++) {
        poses[s] = {40 + 9 * s, 80 + ((s * 5) % 7) - 3};
        for (int b = 0; b < beams; b++) {
            double a = b * 2.0 * 3.14159265358979 / beams;
            // room 180 x 140 with a pillar
            double ca = std::cos(a), sa = std::sin(a), d = 1e9;
            if (ca > 1e-9) d = std::fmin(d, (190 - poses[s].cx) / ca);
            if (ca < -1e-9) d = std::fmin(d, (10 - poses[s].cx) / ca);
            if (sa > 1e-9) d = std::fmin(d, (150 - poses[s].cy) / sa);
            if (sa < -1e-9) d = std::fmin(d, (10 - poses[s].cy) / sa);
            double px = 120 - poses[s].cx, py = 30 - poses[s].cy, along = px * ca + py * sa;
            double off2 = px * px + py * py - along * along;
            if (along > 0 && off2 < 64) d = std::fmin(d, along - std::sqrt(64 - off2));
            if (b % 97 == 5) d = 0;      // lost return
            all[s * beams + b] = {(short)std::lround(d * ca), (short)std::lround(d * sa)};
        }
    }

    Hit *dBeams; int *dGrid, *dDelta;
    CUDA_TRY(cudaMalloc(&dBeams, all.size() * sizeof(Hit)));
    CUDA_TRY(cudaMalloc(&dGrid, W * H * sizeof(int)));
    CUDA_TRY(cudaMalloc(&dDelta, W * H * sizeof(int)));
    CUDA_TRY(cudaMemcpy(dBeams, all.data(), all.size() * sizeof(Hit), cudaMemcpyHostToDevice));
    CUDA_TRY(cudaMemset(dGrid, 0, W * H * sizeof(int)));
    CUDA_TRY(cudaMemset(dDelta, 0, W * H * sizeof(int)));

    for (int s = 0; s < scans; s++) {
        castScan<<<(beams + 127) / 128, 128>>>(dBeams + s * beams, beams, poses[s], dDelta, W, H);
        mergeScan<<<(W * H + 255) / 256, 256>>>(dGrid, dDelta, W * H);
    }
    CUDA_TRY(cudaGetLastError());
    std::vector<int> grid(W * H);
    CUDA_TRY(cudaMemcpy(grid.data(), dGrid, W * H * sizeof(int), cudaMemcpyDeviceToHost));

    int occ = 0, fre = 0, unk = 0; long sum = 0;
    for (int v : grid) { occ += v > 0; fre += v < 0; unk += v == 0; sum += v; }
    std::printf("occupied %d free %d unknown %d sum %ld\n", occ, fre, unk, sum);
    for (int y = 0; y < H; y += 8) {
        for (int x = 0; x < W; x += 4) { int v = grid[y * W + x]; std::putchar(v > 0 ? '#' : v < 0 ? '.' : ' '); }
        std::putchar('\n');
    }
    cudaFree(dBeams); cudaFree(dGrid); cudaFree(dDelta);
    return 0;
}
