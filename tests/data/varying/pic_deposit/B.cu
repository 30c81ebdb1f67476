// 2D particle-in-cell: bilinear (CIC) charge deposition on a periodic grid.
// Particles are kept sorted by 8x8-cell tiles (done on the host here).
#include <cstdio>
#include <cstdlib>
#include <cmath>
#include <vector>
#include <algorithm>
#include <cuda_runtime.h>

#define GPU(x) { cudaError_t rc = (x); if (rc) { fprintf(stderr, "GPU error %d (%s) line %d\n", rc, cudaGetErrorString(rc), __LINE__); abort(); } }

enum { NX = 64, NY = 48, TILE = 8, TX = NX / TILE, TY = NY / TILE };

struct Particles { float *x, *y, *q; };

// SPLIT blocks per tile; each accumulates into a (TILE+1)^2 node patch in shared memory.
enum { SPLIT = 4, NODES = TILE + 1 };

__global__ void deposit_tiles(Particles p, const int* __restrict__ tile_start, float* __restrict__ rho)
{
    __shared__ float patch[NODES * NODES];
    const int tile = blockIdx.x;
    const int ox = (tile % TX) * TILE, oy = (tile / TX) * TILE;
    for (int k = threadIdx.x; k < NODES * NODES; k += blockDim.x) patch[k] = 0.0f;
    __syncthreads();

    const int end = tile_start[tile + 1];
    for (int i = tile_start[tile] + blockIdx.y * blockDim.x + threadIdx.x; i < end; i += SPLIT * blockDim.x) {
        float x = p.x[i], y = p.y[i], q = p.q[i];
        int ix = (int)floorf(x), iy = (int)floorf(y);
        float fx = x - ix, fy = y - iy;
        float* n = &patch[(iy - oy) * NODES + (ix - ox)];
        atomicAdd(n, q * (1 - fx) * (1 - fy));
        atomicAdd(n + 1, q * fx * (1 - fy));
        atomicAdd(n + NODES, q * (1 - fx) * fy);
        atomicAdd(n + NODES + 1, q * fx * fy);
    }
    __syncthreads();

    for (int k = threadIdx.x; k < NODES * NODES; k += blockDim.x) {
        int gx = (ox + k % NODES) % NX, gy = (oy + k / NODES) % NY;      // periodic seam
        atomicAdd(&rho[gy * NX + gx], patch[k]);
    }
}

static unsigned rs = 777;
static float frand() { rs = rs * 1664525u + 1013904223u; return (rs >> 8) * (1.0f / 16777216.0f); }

int main()
{
    const int np = 120000;
    struct P { float x, y, q; int tile; };
    std::vector<P> ps(np);
    for (auto& p : ps) {
        float a = frand(), b = frand();
        p.x = NX * (0.5f * a + 0.5f * b);          // denser in the middle
        p.y = NY * frand();
        if (p.x >= NX) p.x = 0;
        if (p.y >= NY) p.y = 0;
        p.q = 0.5f + frand();
        p.tile = ((int)floorf(p.y) / TILE) * TX + (int)floorf(p.x) / TILE;
    }
    std::stable_sort(ps.begin(), ps.end(), [](const P& a, const P& b) { return a.tile < b.tile; });
    std::vector<int> start(TX * TY + 1, 0);
    for (auto& p : ps) start[p.tile + 1]++;
    for (int t = 0; t < TX * TY; t++) start[t + 1] += start[t];

    std::vector<float> hx(np), hy(np), hq(np);
    for (int i = 0; i < np; i++) { hx[i] = ps[i].x; hy[i] = ps[i].y; hq[i] = ps[i].q; }
    Particles d;
    float* rho;
    int* dstart;
    size_t bytes = np * sizeof(float);
    GPU(cudaMalloc(&d.x, bytes)); GPU(cudaMalloc(&d.y, bytes)); GPU(cudaMalloc(&d.q, bytes));
    GPU(cudaMalloc(&rho, NX * NY * sizeof(float)));
    GPU(cudaMemcpy(d.x, hx.data(), bytes, cudaMemcpyHostToDevice));
    GPU(cudaMemcpy(d.y, hy.data(), bytes, cudaMemcpyHostToDevice));
    GPU(cudaMemcpy(d.q, hq.data(), bytes, cudaMemcpyHostToDevice));
    GPU(cudaMalloc(&dstart, start.size() * sizeof(int)));
    GPU(cudaMemcpy(dstart, start.data(), start.size() * sizeof(int), cudaMemcpyHostToDevice));
    GPU(cudaMemset(rho, 0, NX * NY * sizeof(float)));

    deposit_tiles<<<dim3(TX * TY, SPLIT), 128>>>(d, dstart, rho);
    GPU(cudaGetLastError());

    std::vector<float> h(NX * NY);
    GPU(cudaMemcpy(h.data(), rho, h.size() * sizeof(float), cudaMemcpyDeviceToHost));
    double tot = 0, m1 = 0;
    for (int j = 0; j < NY; j++) for (int i = 0; i < NX; i++) { tot += h[j * NX + i]; m1 += h[j * NX + i] * (double)(i + 2 * j); }
    printf("charge %.3f moment %.1f fullest tile %d\n", tot, m1,
           (int)(std::max_element(ps.begin(), ps.end(), [&](const P& a, const P& b) {
               return start[a.tile + 1] - start[a.tile] < start[b.tile + 1] - start[b.tile]; })->tile));
    for (int i = 0; i < NX; i += 9) printf("rho[%d] = %.3f\n", i, h[(i % NY) * NX + i]);
    GPU(cudaFree(d.x)); GPU(cudaFree(d.y)); GPU(cudaFree(d.q)); GPU(cudaFree(rho)); GPU(cudaFree(dstart));
    return 0;
}
