// Parametric EQ: every audio channel runs through a cascade of peaking biquads.
#include <cuda_runtime.h>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

namespace eq {

struct Biquad { float b0, b1, b2, a1, a2; };

constexpr int kStages = 3;

inline void ok(cudaError_t e) { if (e != cudaSuccess) { std::fprintf(stderr, "cuda: %s\n", cudaGetErrorString(e)); std::exit(1); } }

// RBJ cookbook peaking filter; any centre frequency below fs/2, any Q > 0
Biquad peaking(float fs, float f0, float q, float gainDb)
{
    double A = std::pow(10.0, gainDb / 40.0);
    double w = 2.0 * 3.14159265358979 * f0 / fs;
    double al = std::sin(w) / (2.0 * q);
    double a0 = 1.0 + al / A;
    return { (float)((1.0 + al * A) / a0), (float)(-2.0 * std::cos(w) / a0), (float)((1.0 - al * A) / a0),
             (float)(-2.0 * std::cos(w) / a0), (float)((1.0 - al / A) / a0) };
}

// one thread per channel; samples are interleaved (frame-major) as they come from the device driver
__global__ void run_eq(const float* in, float* out, const Biquad* bq, int channels, int frames)
{
    int ch = blockIdx.x * blockDim.x + threadIdx.x;
    if (ch >= channels) return;
    Biquad f[kStages];
    float z1[kStages], z2[kStages];
    for (int s = 0; s < kStages; ++s) {
        f[s] = bq[ch * kStages + s];
        z1[s] = z2[s] = 0.f;
    }
    for (int n = 0; n < frames; ++n) {
        float x = in[(size_t)n * channels + ch];
        for (int s = 0; s < kStages; ++s) {          // transposed direct form II
            float y = f[s].b0 * x + z1[s];
            z1[s] = f[s].b1 * x - f[s].a1 * y + z2[s];
            z2[s] = f[s].b2 * x - f[s].a2 * y;
            x = y;
        }
        out[(size_t)n * channels + ch] = x;
    }
}

} // namespace eq

int main()
{
    using namespace eq;
    const int channels = 96, frames = 8192;
    const float fs = 48000.f;
    std::vector<float> x((size_t)channels * frames), y(x.size());
    std::vector<Biquad> bq(channels * kStages);
    for (int c = 0; c < channels; ++c)
        for (int s = 0; s < kStages; ++s)
            bq[c * kStages + s] = peaking(fs, 1500.f * (s + 1) + 20.f * c, 0.7f + 0.1f * s, s == 1 ? -4.f : 3.f);
    unsigned r = 99;
    for (int n = 0; n < frames; ++n)
        for (int c = 0; c < channels; ++c) {
            r = r * 1103515245u + 12345u;
            float noise = ((r >> 16) & 0x7fff) / 32768.f - 0.5f;
            x[(size_t)n * channels + c] = 0.4f * std::sin(0.013f * n * (1 + c % 5)) + 0.1f * noise;
        }

    float *dx, *dy;
    Biquad* db;
    ok(cudaMalloc(&dx, x.size() * sizeof(float)));
    ok(cudaMalloc(&dy, y.size() * sizeof(float)));
    ok(cudaMalloc(&db, bq.size() * sizeof(Biquad)));
    ok(cudaMemcpy(dx, x.data(), x.size() * sizeof(float), cudaMemcpyHostToDevice));
    ok(cudaMemcpy(db, bq.data(), bq.size() * sizeof(Biquad), cudaMemcpyHostToDevice));

    run_eq<<<(channels + 31) / 32, 32>>>(dx, dy, db, channels, frames);
    ok(cudaGetLastError());
    ok(cudaMemcpy(y.data(), dy, y.size() * sizeof(float), cudaMemcpyDeviceToHost));

    for (int c = 0; c < channels; c += 24) {
        double e = 0;
        for (int n = 0; n < frames; ++n) e += (double)y[(size_t)n * channels + c] * y[(size_t)n * channels + c];
        std::printf("channel %2d  rms %.5f  last %.5f\n", c, std::sqrt(e / frames), y[(size_t)(frames - 1) * channels + c]);
    }
    cudaFree(dx); cudaFree(dy); cudaFree(db);
    return 0;
}
