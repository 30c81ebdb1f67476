// Per-channel parametric EQ: each channel has its own cascade of three biquads (transposed direct form II).
// Planar layout: channel c occupies x[c*n .. c*n+n-1].
#include <cstdio>
#include <cstdlib>
#include <cmath>
#include <vector>
#include <cuda_runtime.h>

const int SECTIONS = 3;

struct Biquad { float b0, b1, b2, a1, a2; };

#define cudaCheck(x) { auto rc_ = (x); if (rc_ != cudaSuccess) { fprintf(stderr, "CUDA %d at %d\n", rc_, __LINE__); exit(3); } }

__global__ void equalize(const float *x, float *y, const Biquad *eq, float *state, int channels, int n)
{
    int c = blockIdx.x * blockDim.x + threadIdx.x;
    if (c >= channels) return;
    float *z = state + (size_t)c * SECTIONS * 2;
    for (int i = 0; i < n; i++) {
        float v = x[(size_t)c * n + i];
        for (int s = 0; s < SECTIONS; s++) {
            Biquad q = eq[c * SECTIONS + s];
            float o = q.b0 * v + z[2 * s];
            z[2 * s] = q.b1 * v - q.a1 * o + z[2 * s + 1];
            z[2 * s + 1] = q.b2 * v - q.a2 * o;
            v = o;
        }
        y[(size_t)c * n + i] = v;
    }
}

static Biquad peaking(double f0, double gainDb, double Q)     // RBJ cookbook, fs = 48 kHz
{
    double A = pow(10, gainDb / 40), w = 2 * M_PI * f0 / 48000, al = sin(w) / (2 * Q), a0 = 1 + al / A;
    Biquad b = { (float)((1 + al * A) / a0), (float)(-2 * cos(w) / a0), (float)((1 - al * A) / a0),
                 (float)(-2 * cos(w) / a0), (float)((1 - al / A) / a0) };
    return b;
}

int main()
{
    const int channels = 1000, n = 500, blocks = 3;            // three successive audio blocks, state carried over
    std::vector<Biquad> eq(channels * SECTIONS);
    for (int c = 0; c < channels; c++) {
        eq[c * SECTIONS + 0] = peaking(80 + c % 100, -6 + c % 13, 0.7);
        eq[c * SECTIONS + 1] = peaking(900 + 2 * (c % 400), 5 - c % 9, 1.4);
        eq[c * SECTIONS + 2] = peaking(6000 + c, c % 7 - 3, 0.9);
    }
    float *dx, *dy, *dz; Biquad *dq;
    const size_t bytes = (size_t)channels * n * sizeof(float);
    cudaCheck(cudaMalloc(&dx, bytes));
    cudaCheck(cudaMalloc(&dy, bytes));
    cudaCheck(cudaMalloc(&dz, channels * SECTIONS * 2 * sizeof(float)));
    cudaCheck(cudaMalloc(&dq, eq.size() * sizeof(Biquad)));
    cudaCheck(cudaMemcpy(dq, eq.data(), eq.size() * sizeof(Biquad), cudaMemcpyHostToDevice));
    cudaCheck(cudaMemset(dz, 0, channels * SECTIONS * 2 * sizeof(float)));

    std::vector<float> x((size_t)channels * n), y((size_t)channels * n);
    unsigned s = 31337;
    for (int b = 0; b < blocks; b++) {
        for (float &v : x) { s = s * 1664525u + 1013904223u; v = (float)(int)s / 2147483648.0f; }
        cudaCheck(cudaMemcpy(dx, x.data(), bytes, cudaMemcpyHostToDevice));
        equalize<<<(channels + 127) / 128, 128>>>(dx, dy, dq, dz, channels, n);
        cudaCheck(cudaGetLastError());
        cudaCheck(cudaMemcpy(y.data(), dy, bytes, cudaMemcpyDeviceToHost));
        double e = 0, peak = 0;
        for (float v : y) { e += (double)v * v; if (fabs(v) > peak) peak = fabs(v); }
        printf("block %d: rms %.5f peak %.5f last %.5f\n", b, sqrt(e / y.size()), peak, y.back());
    }
    cudaFree(dx); cudaFree(dy); cudaFree(dz); cudaFree(dq);
    return 0;
}
