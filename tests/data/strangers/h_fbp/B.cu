// Parallel-beam CT: filtered backprojection (Ram-Lak) of one slice
#include <cuda_runtime.h>
#include <cstdio>
#include <cstdlib>
#include <cmath>
#include <vector>
using namespace std;

#define CE(x) do { cudaError_t e__ = x; if (e__ != cudaSuccess) { printf("%s at %d\n", cudaGetErrorString(e__), __LINE__); exit(1); } } while(0)

struct Geo {
    int nAng, nDet;      // views, detector bins
    float dAng;          // radians between views
    float t0;            // detector coordinate of the rotation axis
    int n;               // image is n x n pixels of one bin width
};

const int FT  = 128;     // threads of the filter kernel
const int BX  = 32, BY = 4, PY = 4;   // backprojector: block shape, image rows per thread
const int AT  = 64;      // views whose sine and cosine are staged at a time

// One block per view.  The view and the filter taps (odd distances only, the others are zero) live in shared memory.
__global__ void filterViews(Geo g, const float* __restrict__ proj, float* __restrict__ filt)
{
    extern __shared__ float sh[];
    float* row = sh;                    // nDet
    float* tap = sh + g.nDet;           // tap[h] belongs to distance 2h+1, nDet/2 of them
    const int nTap = g.nDet / 2;
    const float* src = proj + (size_t)blockIdx.x * g.nDet;
    for (int d = threadIdx.x; d < g.nDet; d += FT) row[d] = src[d];
    for (int h = threadIdx.x; h < nTap; h += FT) {
        float k = (float)(2 * h + 1);
        tap[h] = 1.f / (9.8696044f * k * k);
    }
    __syncthreads();
    for (int d = threadIdx.x; d < g.nDet; d += FT) {
        float acc = 0.25f * row[d];
        for (int k = (d & 1) ? d : d - 1; k >= 1; k -= 2)   // left side, far to near
            acc = fmaf(-row[d - k], tap[k >> 1], acc);
        for (int k = 1; d + k < g.nDet; k += 2)             // right side
            acc = fmaf(-row[d + k], tap[k >> 1], acc);
        filt[(size_t)blockIdx.x * g.nDet + d] = acc;
    }
}

__global__ void viewTrig(Geo g, float2* trig)
{
    int a = blockIdx.x * blockDim.x + threadIdx.x;
    if (a >= g.nAng) return;
    float s, c;
    sincosf(a * g.dAng, &s, &c);
    trig[a] = make_float2(c, s);
}

__global__ void __launch_bounds__(BX * BY) backProject(Geo g, const float2* __restrict__ trig,
                                                       const float* __restrict__ filt, float* __restrict__ img)
{
    __shared__ float2 cs[AT];
    const int tid = threadIdx.y * BX + threadIdx.x;
    const int ix  = blockIdx.x * BX + threadIdx.x;
    const int iy0 = blockIdx.y * (BY * PY) + threadIdx.y;          // rows iy0, iy0+BY, ...
    const float x = ix - 0.5f * (g.n - 1);
    float y[PY], acc[PY];
#pragma unroll
    for (int r = 0; r < PY; r++) { y[r] = (iy0 + r * BY) - 0.5f * (g.n - 1); acc[r] = 0.f; }

    for (int a0 = 0; a0 < g.nAng; a0 += AT) {
        const int m = min(AT, g.nAng - a0);
        __syncthreads();                                           // the stage before is used up
        if (tid < m) cs[tid] = trig[a0 + tid];
        __syncthreads();
        const float* view = filt + (size_t)a0 * g.nDet;
        for (int a = 0; a < m; a++, view += g.nDet) {
            const float c = cs[a].x, s = cs[a].y;
#pragma unroll
            for (int r = 0; r < PY; r++) {
                float t = fmaf(x, c, fmaf(y[r], s, g.t0));
                int i = (int)floorf(t);
                if (i >= 0 && i + 1 < g.nDet) {
                    float w = t - i;
                    float p = __ldg(view + i), q = __ldg(view + i + 1);
                    acc[r] += p + w * (q - p);
                }
            }
        }
    }
    if (ix >= g.n) return;
#pragma unroll
    for (int r = 0; r < PY; r++) {
        int iy = iy0 + r * BY;
        if (iy < g.n) img[iy * g.n + ix] = acc[r] * g.dAng;
    }
}
static_assert(BX * BY >= AT, "one thread per staged view");

// analytic projections of a few discs
static void phantom(const Geo& g, vector<float>& proj)
{
    const float disc[5][4] = { {0, 0, 70, 1.0f}, {20, -15, 18, -0.4f}, {-30, 22, 12, 0.5f}, {-12, -34, 7, 0.8f}, {38, 30, 4, 1.2f} };
    for (int a = 0; a < g.nAng; a++)
        for (int d = 0; d < g.nDet; d++) {
            float v = 0;
            for (auto& q : disc) {
                float t = (d - g.t0) - (q[0] * cosf(a * g.dAng) + q[1] * sinf(a * g.dAng));
                float h = q[2] * q[2] - t * t;
                if (h > 0) v += 2.f * q[3] * sqrtf(h);
            }
            proj[a * g.nDet + d] = v;
        }
}

int main()
{
    Geo g; g.nAng = 150; g.nDet = 229; g.dAng = 3.14159265f / g.nAng; g.t0 = 0.5f * (g.nDet - 1); g.n = 170;
    vector<float> proj(g.nAng * g.nDet), img(g.n * g.n);
    phantom(g, proj);
    float *dp, *df, *di;
    CE(cudaMalloc(&dp, proj.size() * 4)); CE(cudaMalloc(&df, proj.size() * 4)); CE(cudaMalloc(&di, img.size() * 4));
    CE(cudaMemcpy(dp, proj.data(), proj.size() * 4, cudaMemcpyHostToDevice));
    float2* dt;
    CE(cudaMalloc(&dt, g.nAng * sizeof(float2)));
    viewTrig<<<(g.nAng + 63) / 64, 64>>>(g, dt);
    CE(cudaGetLastError());
    filterViews<<<g.nAng, FT, (g.nDet + g.nDet / 2) * sizeof(float)>>>(g, dp, df);
    CE(cudaGetLastError());
    backProject<<<dim3((g.n + BX - 1) / BX, (g.n + BY * PY - 1) / (BY * PY)), dim3(BX, BY)>>>(g, dt, df, di);
    CE(cudaGetLastError());
    CE(cudaMemcpy(img.data(), di, img.size() * 4, cudaMemcpyDeviceToHost));
    double sum = 0, sq = 0;
    for (float v : img) { sum += v; sq += (double)v * v; }
    printf("sum %.3f  rms %.6f\n", sum, sqrt(sq / img.size()));
    for (int k = 10; k < g.n; k += 25) printf("  (%d,%d) %.5f\n", k, k, img[k * g.n + k]);
    cudaFree(dp); cudaFree(df); cudaFree(di); cudaFree(dt);
    return 0;
}
