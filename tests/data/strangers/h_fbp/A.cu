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

__global__ void filterViews(Geo g, const float* proj, float* filt)
{
    int d = blockIdx.x * blockDim.x + threadIdx.x;
    int a = blockIdx.y;
    if (d >= g.nDet) return;
    float acc = 0.25f * proj[a * g.nDet + d];
    for (int j = 0; j < g.nDet; j++) {
        int k = d - j;
        if (k & 1) acc -= proj[a * g.nDet + j] / (9.8696044f * (float)k * (float)k);
    }
    filt[a * g.nDet + d] = acc;
}

__global__ void backProject(Geo g, const float* filt, float* img)
{
    int ix = blockIdx.x * blockDim.x + threadIdx.x;
    int iy = blockIdx.y * blockDim.y + threadIdx.y;
    if (ix >= g.n || iy >= g.n) return;
    float x = ix - 0.5f * (g.n - 1), y = iy - 0.5f * (g.n - 1);
    float acc = 0.f;
    for (int a = 0; a < g.nAng; a++) {
        float s, c;
        sincosf(a * g.dAng, &s, &c);
        float t = fmaf(x, c, fmaf(y, s, g.t0));
        int i = (int)floorf(t);
        if (i < 0 || i + 1 >= g.nDet) continue;
        float w = t - i;
        float p = filt[a * g.nDet + i], q = filt[a * g.nDet + i + 1];
        acc += p + w * (q - p);
    }
    img[iy * g.n + ix] = acc * g.dAng;
}

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
    filterViews<<<dim3((g.nDet + 127) / 128, g.nAng), 128>>>(g, dp, df);
    CE(cudaGetLastError());
    backProject<<<dim3((g.n + 15) / 16, (g.n + 15) / 16), dim3(16, 16)>>>(g, df, di);
    CE(cudaGetLastError());
    CE(cudaMemcpy(img.data(), di, img.size() * 4, cudaMemcpyDeviceToHost));
    double sum = 0, sq = 0;
    for (float v : img) { sum += v; sq += (double)v * v; }
    printf("sum %.3f  rms %.6f\n", sum, sqrt(sq / img.size()));
    for (int k = 10; k < g.n; k += 25) printf("  (%d,%d) %.5f\n", k, k, img[k * g.n + k]);
    cudaFree(dp); cudaFree(df); cudaFree(di);
    return 0;
}
