// Ka-band SAR: time-domain backprojection of range-compressed pulses onto a ground grid.
#include <cuda_runtime.h>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

static inline void gpuAssert(cudaError_t code, int line) {
    if (code != cudaSuccess) { std::fprintf(stderr, "GPU error line %d: %s\n", line, cudaGetErrorString(code)); std::exit(1); }
}
#define GPU(x) gpuAssert((x), __LINE__)

struct Radar {
    double lambda;     // carrier wavelength [m]
    double r0;         // range of bin 0 [m]
    double dr;         // bin spacing [m]
    int nbins, npulses;
};
struct Grid { double x0, y0, step; int nx, ny; };

// Pulse state in fp32, staged through shared memory; fp64 is only used while preparing it.
// Range is measured against the range of the scene centre for the same pulse, which keeps the phase argument small.
struct Pulse { float x, y, z, rc, cyc0; };

constexpr int PT = 32;        // pulses per stage
constexpr int ROWS = 4;       // pixels per thread (in y)

__global__ void prep(Radar rd, const double3* pos, Pulse* pl)
{
    int p = blockIdx.x * blockDim.x + threadIdx.x;
    if (p >= rd.npulses) return;
    double3 a = pos[p];
    double rc = sqrt(a.x * a.x + a.y * a.y + a.z * a.z);
    double cyc = 2.0 * rc / rd.lambda;
    Pulse q;
    q.x = (float)a.x; q.y = (float)a.y; q.z = (float)a.z;
    q.rc = (float)rc;
    q.cyc0 = (float)(cyc - rint(cyc));
    pl[p] = q;
}

__global__ void __launch_bounds__(128) backproject(Radar rd, Grid g, const Pulse* __restrict__ pl,
                                                   const float2* __restrict__ echo, float2* __restrict__ img)
{
    __shared__ Pulse sp[PT];
    const int tid = threadIdx.y * blockDim.x + threadIdx.x;
    const int ix  = blockIdx.x * blockDim.x + threadIdx.x;
    const int iy0 = (blockIdx.y * blockDim.y + threadIdx.y) * ROWS;
    const float x = (float)(g.x0 + ix * g.step);
    float y[ROWS], re[ROWS], im[ROWS];
#pragma unroll
    for (int r = 0; r < ROWS; ++r) { y[r] = (float)(g.y0 + (iy0 + r) * g.step); re[r] = 0.f; im[r] = 0.f; }
    const float inv_dr = (float)(1.0 / rd.dr), r0 = (float)rd.r0, two_il = (float)(2.0 / rd.lambda);

    for (int base = 0; base < rd.npulses; base += PT) {
        int m = min(PT, rd.npulses - base);
        __syncthreads();
        if (tid < m) sp[tid] = pl[base + tid];
        __syncthreads();
        for (int j = 0; j < m; ++j) {
            const Pulse q = sp[j];
            const float2* row = echo + (size_t)(base + j) * rd.nbins;
            const float dx = x - q.x;
            const float dxz = fmaf(dx, dx, q.z * q.z);
#pragma unroll
            for (int r = 0; r < ROWS; ++r) {
                float dy = y[r] - q.y;
                float R = sqrtf(fmaf(dy, dy, dxz));
                float fb = (R - r0) * inv_dr;
                float fl = floorf(fb);
                int b = (int)fl;
                if (b < 0 || b + 1 >= rd.nbins) continue;
                float w = fb - fl;
                float2 e0 = __ldg(row + b), e1 = __ldg(row + b + 1);
                float er = e0.x + w * (e1.x - e0.x);
                float ei = e0.y + w * (e1.y - e0.y);
                float cyc = fmaf(R - q.rc, two_il, q.cyc0);
                cyc -= rintf(cyc);
                float s, c;
                sincospif(2.f * cyc, &s, &c);
                re[r] += er * c - ei * s;
                im[r] += er * s + ei * c;
            }
        }
    }
    if (ix < g.nx) {
#pragma unroll
        for (int r = 0; r < ROWS; ++r)
            if (iy0 + r < g.ny) img[(size_t)(iy0 + r) * g.nx + ix] = make_float2(re[r], im[r]);
    }
}

int main()
{
    Radar rd;
    rd.lambda = 0.0086; rd.dr = 0.30; rd.nbins = 448; rd.npulses = 96;
    Grid g; g.nx = 160; g.ny = 144; g.step = 0.25; g.x0 = -20.0; g.y0 = -18.0;
    rd.r0 = 8246.0 - 0.5 * rd.nbins * rd.dr;

    std::vector<double3> pos(rd.npulses);
    for (int p = 0; p < rd.npulses; ++p) {
        double u = (p - 0.5 * rd.npulses);
        pos[p] = make_double3(1.9 * u, -8000.0 + 0.02 * std::sin(0.3 * u), 2000.0 + 0.015 * std::cos(0.17 * u));
    }
    const int NT = 5;
    const double tx[NT] = { 0.0, -9.5, 12.25, 4.0, -15.0 }, ty[NT] = { 0.0, 7.0, -6.5, 11.0, -12.0 };
    const float  ta[NT] = { 1.0f, 0.6f, 0.8f, 0.25f, 0.9f };
    std::vector<float2> echo((size_t)rd.npulses * rd.nbins, make_float2(0.f, 0.f));
    for (int p = 0; p < rd.npulses; ++p)
        for (int k = 0; k < NT; ++k) {
            double dx = tx[k] - pos[p].x, dy = ty[k] - pos[p].y, dz = pos[p].z;
            double R = std::sqrt(dx * dx + dy * dy + dz * dz);
            double ph = -2.0 * M_PI * std::fmod(2.0 * R / rd.lambda, 1.0);
            float cr = (float)std::cos(ph), ci = (float)std::sin(ph);
            for (int b = 0; b < rd.nbins; ++b) {
                double t = (rd.r0 + b * rd.dr - R) / 0.5;
                if (std::fabs(t) > 12.0) continue;
                float s = ta[k] * (float)(std::fabs(t) < 1e-9 ? 1.0 : std::sin(M_PI * t) / (M_PI * t));
                echo[(size_t)p * rd.nbins + b].x += s * cr;
                echo[(size_t)p * rd.nbins + b].y += s * ci;
            }
        }

    double3* d_pos; float2 *d_echo, *d_img;
    size_t npix = (size_t)g.nx * g.ny;
    GPU(cudaMalloc(&d_pos, pos.size() * sizeof(double3)));
    GPU(cudaMalloc(&d_echo, echo.size() * sizeof(float2)));
    GPU(cudaMalloc(&d_img, npix * sizeof(float2)));
    GPU(cudaMemcpy(d_pos, pos.data(), pos.size() * sizeof(double3), cudaMemcpyHostToDevice));
    GPU(cudaMemcpy(d_echo, echo.data(), echo.size() * sizeof(float2), cudaMemcpyHostToDevice));

    Pulse* d_pl;
    GPU(cudaMalloc(&d_pl, rd.npulses * sizeof(Pulse)));
    prep<<<(rd.npulses + 63) / 64, 64>>>(rd, d_pos, d_pl);
    GPU(cudaGetLastError());
    dim3 blk(32, 4), grd((g.nx + 31) / 32, (g.ny + 4 * ROWS - 1) / (4 * ROWS));
    backproject<<<grd, blk>>>(rd, g, d_pl, d_echo, d_img);
    GPU(cudaGetLastError());
    std::vector<float2> img(npix);
    GPU(cudaMemcpy(img.data(), d_img, npix * sizeof(float2), cudaMemcpyDeviceToHost));

    double energy = 0; float best = -1; size_t bi = 0;
    for (size_t i = 0; i < npix; ++i) {
        float m = img[i].x * img[i].x + img[i].y * img[i].y;
        energy += m;
        if (m > best) { best = m; bi = i; }
    }
    std::printf("energy %.6e  peak %.5f at (%d,%d)\n", energy, std::sqrt(best), (int)(bi % g.nx), (int)(bi / g.nx));
    for (int k = 0; k < NT; ++k) {
        int ix = (int)std::lround((tx[k] - g.x0) / g.step), iy = (int)std::lround((ty[k] - g.y0) / g.step);
        float2 v = img[(size_t)iy * g.nx + ix];
        std::printf("target %d: %9.4f %+9.4fj\n", k, v.x, v.y);
    }
    cudaFree(d_pos); cudaFree(d_pl); cudaFree(d_echo); cudaFree(d_img);
    return 0;
}
