// LiDAR down-sampling: centroid of all returns in each voxel of a dense grid.
// Coordinates are int32 micrometres relative to the survey origin (so up to +-2147 m).
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>
#include <cuda_runtime.h>

#define CHECK_CUDA(expr)                                                              \
    do {                                                                              \
        cudaError_t st = (expr);                                                      \
        if (st != cudaSuccess) {                                                      \
            std::fprintf(stderr, "CUDA: %s (%s)\n", cudaGetErrorString(st), #expr);   \
            std::abort();                                                             \
        }                                                                             \
    } while (0)

struct Point { int32_t x, y, z; };

struct GridSpec {
    int32_t ox, oy, oz;   // corner, um
    int32_t edge;         // voxel edge, um
    int nx, ny, nz;
};

struct Voxel {
    unsigned long long sx, sy, sz;   // two's complement sums
    unsigned int n;
    unsigned int pad;
};

__device__ int voxelOf(const Point &p, const GridSpec &g)
{
    long long dx = (long long)p.x - g.ox, dy = (long long)p.y - g.oy, dz = (long long)p.z - g.oz;
    if (dx < 0 || dy < 0 || dz < 0) return -1;
    long long ix = dx / g.edge, iy = dy / g.edge, iz = dz / g.edge;
    if (ix >= g.nx || iy >= g.ny || iz >= g.nz) return -1;
    return (int)((iz * g.ny + iy) * g.nx + ix);
}

// Neighbouring returns mostly fall into the same voxel: lanes of one voxel are found with
// match_any, summed with the warp reduction instruction, and only their leader issues atomics.
__global__ void __launch_bounds__(256)
accumulate(const Point *__restrict__ pts, int n, GridSpec g, Voxel *__restrict__ vox)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    Point p = {0, 0, 0};
    int v = -1;
    if (i < n) {
        p = pts[i];
        v = voxelOf(p, g);
    }
    const unsigned peers = __match_any_sync(0xffffffffu, v);
    const int sx = __reduce_add_sync(peers, p.x);
    const int sy = __reduce_add_sync(peers, p.y);
    const int sz = __reduce_add_sync(peers, p.z);
    const int lane = threadIdx.x & 31;
    if (v >= 0 && lane == __ffs(peers) - 1) {
        Voxel *d = vox + v;
        atomicAdd(&d->sx, (unsigned long long)(long long)sx);
        atomicAdd(&d->sy, (unsigned long long)(long long)sy);
        atomicAdd(&d->sz, (unsigned long long)(long long)sz);
        atomicAdd(&d->n, (unsigned)__popc(peers));
    }
}

__global__ void centroids(const Voxel *vox, int nv, Point *out, unsigned *count)
{
    int v = blockIdx.x * blockDim.x + threadIdx.x;
    if (v >= nv) return;
    Voxel a = vox[v];
    Point c = {0, 0, 0};
    if (a.n) {
        c.x = (int32_t)((long long)a.sx / (long long)a.n);
        c.y = (int32_t)((long long)a.sy / (long long)a.n);
        c.z = (int32_t)((long long)a.sz / (long long)a.n);
    }
    out[v] = c;
    count[v] = a.n;
}

int main()
{
    const int n = 300000;
    GridSpec g{-24000000, -24000000, -2000000, 750000, 64, 64, 12};
    const int nv = g.nx * g.ny * g.nz;

    // a spinning scanner in a courtyard, ring by ring
    std::vector<Point> pts(n);
    uint32_t s = 77u;
    for (int i = 0; i < n; i++) {
        s = s * 1103515245u + 12345u;
        int ring = (i / 2400) % 16;
        int a = i % 2400;
        int r = 6000000 + ring * 900000 + (int)((s >> 8) % 40000);
        // coarse integer circle
        int q = a / 600, f = a % 600;
        long long cx = 600 - f, cy = f;
        long long ux = q == 0 ? cx : q == 1 ? -cy : q == 2 ? -cx : cy;
        long long uy = q == 0 ? cy : q == 1 ? cx : q == 2 ? -cy : -cx;
        pts[i].x = (int32_t)(r * ux / 600);
        pts[i].y = (int32_t)(r * uy / 600);
        pts[i].z = -1500000 + ring * 350000 + (int)((s >> 20) & 1023) * 30;
    }

    Point *dPts, *dOut;
    Voxel *dVox;
    unsigned *dCnt;
    CHECK_CUDA(cudaMalloc(&dPts, n * sizeof(Point)));
    CHECK_CUDA(cudaMalloc(&dVox, nv * sizeof(Voxel)));
    CHECK_CUDA(cudaMalloc(&dOut, nv * sizeof(Point)));
    CHECK_CUDA(cudaMalloc(&dCnt, nv * sizeof(unsigned)));
    CHECK_CUDA(cudaMemcpy(dPts, pts.data(), n * sizeof(Point), cudaMemcpyHostToDevice));
    CHECK_CUDA(cudaMemset(dVox, 0, nv * sizeof(Voxel)));

    accumulate<<<(n + 255) / 256, 256>>>(dPts, n, g, dVox);
    CHECK_CUDA(cudaGetLastError());
    centroids<<<(nv + 127) / 128, 128>>>(dVox, nv, dOut, dCnt);
    CHECK_CUDA(cudaGetLastError());

    std::vector<Point> out(nv);
    std::vector<unsigned> cnt(nv);
    CHECK_CUDA(cudaMemcpy(out.data(), dOut, nv * sizeof(Point), cudaMemcpyDeviceToHost));
    CHECK_CUDA(cudaMemcpy(cnt.data(), dCnt, nv * sizeof(unsigned), cudaMemcpyDeviceToHost));

    int used = 0; unsigned most = 0; uint64_t h = 1469598103934665603ull, total = 0;
    for (int v = 0; v < nv; v++) {
        if (!cnt[v]) continue;
        used++; total += cnt[v];
        if (cnt[v] > most) most = cnt[v];
        h = (h ^ (uint32_t)out[v].x) * 1099511628211ull;
        h = (h ^ (uint32_t)out[v].y) * 1099511628211ull;
        h = (h ^ (uint32_t)out[v].z) * 1099511628211ull;
    }
    std::printf("voxels %d points %llu fullest %u hash %016llx\n", used, (unsigned long long)total, most, (unsigned long long)h);
    cudaFree(dPts); cudaFree(dVox); cudaFree(dOut); cudaFree(dCnt);
    return 0;
}
