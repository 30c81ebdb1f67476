// 64-channel parametric EQ: every channel has its own cascade of biquads.
#include <cstdio>
#include <cstdlib>
#include <cmath>
#include <vector>
#include <cuda_runtime.h>

static void check(cudaError_t e, const char *what)
{
    if (e != cudaSuccess) { std::fprintf(stderr, "%s: %s\n", what, cudaGetErrorString(e)); std::exit(EXIT_FAILURE); }
}

struct Biquad { float b0, b1, b2, a1, a2; };   // a0 normalised to 1, any stable section

constexpr int kStages = 3;

// Time-parallel version: a channel is cut into segments of kSeg samples and every segment is
// filtered by its own thread. The state at the segment start is rebuilt by running the cascade
// over the kPre samples before it (output discarded).
// x, y: [sample][channel] interleaved
constexpr int kSeg = 256;
constexpr int kPre = 128;

__device__ __forceinline__ float cascade(float v, const Biquad (&q)[kStages], float (&z1)[kStages], float (&z2)[kStages])
{
#pragma unroll
    for (int s = 0; s < kStages; ++s) {
        float o = fmaf(q[s].b0, v, z1[s]);
        z1[s] = fmaf(q[s].b1, v, fmaf(-q[s].a1, o, z2[s]));
        z2[s] = fmaf(q[s].b2, v, -q[s].a2 * o);
        v = o;
    }
    return v;
}

__global__ void eq_kernel(const float *__restrict__ x, float *__restrict__ y, const Biquad *__restrict__ coef,
                          int channels, int samples)
{
    int ch = blockIdx.x * blockDim.x + threadIdx.x;
    if (ch >= channels) return;
    const int first = blockIdx.y * kSeg;
    const int last = min(first + kSeg, samples);

    Biquad q[kStages];
    float z1[kStages], z2[kStages];
#pragma unroll
    for (int s = 0; s < kStages; ++s) {
        q[s] = coef[ch * kStages + s];
        z1[s] = 0.f;
        z2[s] = 0.f;
    }
    const float *p = x + ch;
    for (int n = max(first - kPre, 0); n < first; ++n)
        cascade(__ldg(p + (size_t)n * channels), q, z1, z2);
#pragma unroll 4
    for (int n = first; n < last; ++n)
        y[(size_t)n * channels + ch] = cascade(__ldg(p + (size_t)n * channels), q, z1, z2);
}

// RBJ cookbook peaking section
static Biquad peaking(double freq, double q, double gainDb, double fs)
{
    double A = std::pow(10.0, gainDb / 40.0), w0 = 2.0 * 3.14159265358979323846 * freq / fs;
    double alpha = std::sin(w0) / (2.0 * q), c = std::cos(w0);
    double a0 = 1.0 + alpha / A;
    return { float((1.0 + alpha * A) / a0), float(-2.0 * c / a0), float((1.0 - alpha * A) / a0),
             float(-2.0 * c / a0), float((1.0 - alpha / A) / a0) };
}

int main()
{
    const int channels = 64, samples = 6144;
    const double fs = 48000.0;

    std::vector<Biquad> coef(channels * kStages);
    for (int c = 0; c < channels; ++c)
        for (int s = 0; s < kStages; ++s)
            coef[c * kStages + s] = peaking(5500.0 + 60.0 * c + 2500.0 * s, 0.8 + 0.05 * (c % 4), (s - 1) * 4.0 + 1.0, fs);

    std::vector<float> in((size_t)channels * samples), out(in.size());
    unsigned seed = 12345u;
    for (size_t i = 0; i < in.size(); ++i) {
        seed = seed * 1664525u + 1013904223u;
        in[i] = (float)(int)(seed >> 9) / 4194304.0f - 1.0f;
    }

    float *dx = nullptr, *dy = nullptr;
    Biquad *dc = nullptr;
    check(cudaMalloc(&dx, in.size() * sizeof(float)), "malloc x");
    check(cudaMalloc(&dy, in.size() * sizeof(float)), "malloc y");
    check(cudaMalloc(&dc, coef.size() * sizeof(Biquad)), "malloc coef");
    check(cudaMemcpy(dx, in.data(), in.size() * sizeof(float), cudaMemcpyHostToDevice), "h2d x");
    check(cudaMemcpy(dc, coef.data(), coef.size() * sizeof(Biquad), cudaMemcpyHostToDevice), "h2d coef");

    dim3 grid((channels + 31) / 32, (samples + kSeg - 1) / kSeg);
    eq_kernel<<<grid, 32>>>(dx, dy, dc, channels, samples);
    check(cudaGetLastError(), "eq_kernel");

    check(cudaMemcpy(out.data(), dy, out.size() * sizeof(float), cudaMemcpyDeviceToHost), "d2h");
    double rms = 0;
    for (float v : out) rms += (double)v * v;
    std::printf("rms %.6f\n", std::sqrt(rms / out.size()));
    for (int c = 0; c < channels; c += 13)
        std::printf("ch %2d last %.6f mid %.6f\n", c, out[(size_t)(samples - 1) * channels + c], out[(size_t)(samples / 2) * channels + c]);
    cudaFree(dx); cudaFree(dy); cudaFree(dc);
    return 0;
}
