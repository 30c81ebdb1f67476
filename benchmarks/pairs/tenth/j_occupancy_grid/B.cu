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

// one warp per (beam, scan): the cells of a Bresenham line are split over the lanes.
// The whole batch of scans goes into the delta grid with one launch, additions commute.
// Along the major axis the k-th cell of the line has minor offset floor((2*k*m + M) / (2*M)).
__global__ void castBatch(const Hit *__restrict__ beams, const Pose *__restrict__ poses, int nBeams,
                          int *__restrict__ delta, int W, int H)
{
    const int lane = threadIdx.x & 31;
    const int b = (blockIdx.x * blockDim.x + threadIdx.x) >> 5;
    if (b >= nBeams) return;
    const Hit h = beams[blockIdx.y * nBeams + b];
    if (h.dx == 0 && h.dy == 0) return;
    const Pose p = poses[blockIdx.y];
    const int ax = abs(h.dx), ay = abs(h.dy);
    const int sx = h.dx > 0 ? 1 : -1, sy = h.dy > 0 ? 1 : -1;
    const bool steep = ay > ax;
    const int M = steep ? ay : ax, m = steep ? ax : ay;
    for (int k = lane; k <= M; k += 32) {
        const int o = (2 * k * m + M) / (2 * M);
        const int x = p.cx + sx * (steep ? o : k);
        const int y = p.cy + sy * (steep ? k : o);
        if (x >= 0 && y >= 0 && x < W && y < H)
            atomicAdd(&delta[y * W + x], k == M ? L_HIT : L_MISS);
    }
}

__global__ void mergeBatch(int *__restrict__ grid, int *__restrict__ delta, int n)
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

    Hit *dBeams; Pose *dPoses; int *dGrid, *dDelta;
    CUDA_TRY(cudaMalloc(&dBeams, all.size() * sizeof(Hit)));
    CUDA_TRY(cudaMalloc(&dPoses, poses.size() * sizeof(Pose)));
    CUDA_TRY(cudaMalloc(&dGrid, W * H * sizeof(int)));
    CUDA_TRY(cudaMalloc(&dDelta, W * H * sizeof(int)));
    CUDA_TRY(cudaMemcpy(dBeams, all.data(), all.size() * sizeof(Hit), cudaMemcpyHostToDevice));
    CUDA_TRY(cudaMemcpy(dPoses, poses.data(), poses.size() * sizeof(Pose), cudaMemcpyHostToDevice));
    CUDA_TRY(cudaMemset(dGrid, 0, W * H * sizeof(int)));
    CUDA_TRY(cudaMemset(dDelta, 0, W * H * sizeof(int)));

    castBatch<<<dim3((beams * 32 + 255) / 256, scans), 256>>>(dBeams, dPoses, beams, dDelta, W, H);
    mergeBatch<<<(W * H + 255) / 256, 256>>>(dGrid, dDelta, W * H);
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
    cudaFree(dBeams); cudaFree(dPoses); cudaFree(dGrid); cudaFree(dDelta);
    return 0;
}
