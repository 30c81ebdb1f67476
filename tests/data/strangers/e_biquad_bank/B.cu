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

const int CH = 32;        // channels (= threads) per block
const int SPAN = 32;      // samples staged per step

// Coefficients and filter state stay in registers; samples go through a padded shared tile so that global
// loads and stores run along the samples (coalesced) while every thread walks along its own channel.
__global__ void __launch_bounds__(CH)
equalize(const float *__restrict__ x, float *__restrict__ y, const Biquad *__restrict__ eq, float *__restrict__ state,
         int channels, int n)
{
    __shared__ float tile[CH][SPAN + 1];
    const int lane = threadIdx.x;
    const int c0 = blockIdx.x * CH, c = c0 + lane;
    const int nc = min(CH, channels - c0);
    const bool live = lane < nc;

    Biquad q[SECTIONS];
    float z[SECTIONS][2];
#pragma unroll
    for (int s = 0; s < SECTIONS; s++) {
        q[s] = Biquad{ 0.f, 0.f, 0.f, 0.f, 0.f };
        z[s][0] = z[s][1] = 0.f;
        if (live) {
            q[s] = eq[c * SECTIONS + s];
            z[s][0] = state[((size_t)c * SECTIONS + s) * 2];
            z[s][1] = state[((size_t)c * SECTIONS + s) * 2 + 1];
        }
    }

    for (int t0 = 0; t0 < n; t0 += SPAN) {
        const int nt = min(SPAN, n - t0);
        if (lane < nt)
            for (int k = 0; k < nc; k++) tile[k][lane] = x[(size_t)(c0 + k) * n + t0 + lane];
        __syncthreads();
        if (live)
            for (int t = 0; t < nt; t++) {
                float v = tile[lane][t];
#pragma unroll
                for (int s = 0; s < SECTIONS; s++) {
                    float o = q[s].b0 * v + z[s][0];
                    z[s][0] = q[s].b1 * v - q[s].a1 * o + z[s][1];
                    z[s][1] = q[s].b2 * v - q[s].a2 * o;
                    v = o;
                }
                tile[lane][t] = v;
            }
        __syncthreads();
        if (lane < nt)
            for (int k = 0; k < nc; k++) y[(size_t)(c0 + k) * n + t0 + lane] = tile[k][lane];
        __syncthreads();
    }

    if (live) {
#pragma unroll
        for (int s = 0; s < SECTIONS; s++) {
            state[((size_t)c * SECTIONS + s) * 2] = z[s][0];
            state[((size_t)c * SECTIONS + s) * 2 + 1] = z[s][1];
        }
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
        equalize<<<(channels + CH - 1) / CH, CH>>>(dx, dy, dq, dz, channels, n);
        cudaCheck(cudaGetLastError());
        cudaCheck(cudaMemcpy(y.data(), dy, bytes, cudaMemcpyDeviceToHost));
        double e = 0, peak = 0;
        for (float v : y) { e += (double)v * v; if (fabs(v) > peak) peak = fabs(v); }
        printf("block %d: rms %.5f peak %.5f last %.5f\n", b, sqrt(e / y.size()), peak, y.back());
    }
    cudaFree(dx); cudaFree(dy); cudaFree(dz); cudaFree(dq);
    return 0;
}
