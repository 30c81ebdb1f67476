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

__global__ void backproject(Radar rd, Grid g, const double3* pos, const float2* echo, float2* img)
{
    int ix = blockIdx.x * blockDim.x + threadIdx.x;
    int iy = blockIdx.y * blockDim.y + threadIdx.y;
    if (ix >= g.nx || iy >= g.ny) return;
    double x = g.x0 + ix * g.step;
    double y = g.y0 + iy * g.step;
    float re = 0.f, im = 0.f;
    for (int p = 0; p < rd.npulses; ++p) {
        double3 a = pos[p];
        double dx = x - a.x, dy = y - a.y, dz = -a.z;
        double R = sqrt(dx * dx + dy * dy + dz * dz);
        double fb = (R - rd.r0) / rd.dr;
        int b = (int)floor(fb);
        if (b < 0 || b + 1 >= rd.nbins) continue;
        float w = (float)(fb - b);
        float2 e0 = echo[(size_t)p * rd.nbins + b];
        float2 e1 = echo[(size_t)p * rd.nbins + b + 1];
        float er = e0.x + w * (e1.x - e0.x);
        float ei = e0.y + w * (e1.y - e0.y);
        double cyc = 2.0 * R / rd.lambda;          // two-way path in cycles
        cyc -= rint(cyc);
        float s, c;
        sincospif((float)(2.0 * cyc), &s, &c);     // matched phase exp(+j 4 pi R / lambda)
        re += er * c - ei * s;
        im += er * s + ei * c;
    }
    img[(size_t)iy * g.nx + ix] = make_float2(re, im);
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

    dim3 blk(16, 16), grd((g.nx + 15) / 16, (g.ny + 15) / 16);
    backproject<<<grd, blk>>>(rd, g, d_pos, d_echo, d_img);
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
    cudaFree(d_pos); cudaFree(d_echo); cudaFree(d_img);
    return 0;
}
