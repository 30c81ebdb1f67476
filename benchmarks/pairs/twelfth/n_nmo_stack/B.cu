// Normal-moveout correction and stack of common-midpoint gathers with stretch mute.
#include <cuda_runtime.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <vector>

#define CU(x) { cudaError_t e_ = (x); if (e_ != cudaSuccess) { puts(cudaGetErrorString(e_)); return EXIT_FAILURE; } }

struct Geometry {
    int ncmp;
    int nfold;      // traces in a gather
    int nt;         // samples in a trace
    float dt;
    float stretch;  // mute where t > stretch * t0
};

// data[cmp][trace][sample], offset[cmp][trace], vel[cmp][sample] -> stack[cmp][sample]
// A block handles SX samples; its SY rows of threads share out the traces of the gather, and the
// rows' sums and folds are combined at the end. Squared offsets are staged CHUNK at a time.
static const int SX = 64, SY = 4, CHUNK = 64;

__global__ void __launch_bounds__(SX * SY)
nmoStack(Geometry g, const float* __restrict__ data, const float* __restrict__ offset,
         const float* __restrict__ vel, float* __restrict__ stack, int* __restrict__ fold)
{
    __shared__ float x2[CHUNK];
    __shared__ float psum[SY][SX];
    __shared__ int pcnt[SY][SX];

    const int tx = threadIdx.x, ty = threadIdx.y;
    const int it = blockIdx.x * SX + tx;
    const int cmp = blockIdx.y;
    const bool live = it < g.nt;
    const float t0 = it * g.dt;
    const float tmax = g.stretch * t0;
    float v2 = 1.f;
    if (live) {
        const float v = vel[cmp * g.nt + it];
        v2 = v * v;
    }

    float sum = 0.f;
    int cnt = 0;
    for (int c0 = 0; c0 < g.nfold; c0 += CHUNK) {
        const int m = min(CHUNK, g.nfold - c0);
        __syncthreads();
        for (int k = ty * SX + tx; k < m; k += SX * SY) {
            const float x = offset[cmp * g.nfold + c0 + k];
            x2[k] = x * x;
        }
        __syncthreads();
        if (live) {
            const float* d = data + ((size_t)cmp * g.nfold + c0) * g.nt;
            for (int k = ty; k < m; k += SY) {
                const float t = sqrtf(fmaf(t0, t0, x2[k] / v2));
                if (t > tmax) continue;
                const float pos = t / g.dt;
                const int i = (int)pos;
                if (i + 1 >= g.nt) continue;
                const float w = pos - (float)i;
                const float* p = d + (size_t)k * g.nt + i;
                sum += __ldg(p) * (1.f - w) + __ldg(p + 1) * w;
                cnt++;
            }
        }
    }
    psum[ty][tx] = sum;
    pcnt[ty][tx] = cnt;
    __syncthreads();
    if (ty == 0 && live) {
#pragma unroll
        for (int r = 1; r < SY; ++r) {
            sum += psum[r][tx];
            cnt += pcnt[r][tx];
        }
        stack[cmp * g.nt + it] = cnt > 0 ? sum / cnt : 0.f;
        fold[cmp * g.nt + it] = cnt;
    }
}

int main()
{
    Geometry g = {24, 30, 700, 0.004f, 1.6f};
    size_t nd = (size_t)g.ncmp * g.nfold * g.nt;
    std::vector<float> data(nd), off(g.ncmp * g.nfold), vel(g.ncmp * g.nt);
    for (int c = 0; c < g.ncmp; ++c) {
        for (int i = 0; i < g.nt; ++i) vel[c * g.nt + i] = 1500.f + 2.1f * i + 4.f * c;
        for (int k = 0; k < g.nfold; ++k) {
            float x = 80.f + 75.f * k + 12.5f * (c & 1);
            off[c * g.nfold + k] = x;
            float* d = &data[((size_t)c * g.nfold + k) * g.nt];
            for (int i = 0; i < g.nt; ++i) d[i] = 0.02f * (float)((i * 31 + k * 17 + c * 7) % 23 - 11);
            for (int e = 0; e < 4; ++e) {                       // four reflectors
                float te = 0.35f + 0.55f * e + 0.004f * c;
                float ve = 1500.f + 2.1f * te / g.dt + 4.f * c;
                float t = sqrtf(te * te + x * x / (ve * ve));
                for (int s = -6; s <= 6; ++s) {
                    int i = (int)(t / g.dt) + s;
                    if (i >= 0 && i < g.nt) {
                        float a = (i * g.dt - t) * 30.f * 3.14159f;
                        d[i] += (1.f - 2.f * a * a) * expf(-a * a);
                    }
                }
            }
        }
    }
    float *dData, *dOff, *dVel, *dStack;
    int* dFold;
    size_t ns = (size_t)g.ncmp * g.nt;
    CU(cudaMalloc(&dData, nd * 4));
    CU(cudaMalloc(&dOff, off.size() * 4));
    CU(cudaMalloc(&dVel, ns * 4));
    CU(cudaMalloc(&dStack, ns * 4));
    CU(cudaMalloc(&dFold, ns * sizeof(int)));
    CU(cudaMemcpy(dData, data.data(), nd * 4, cudaMemcpyHostToDevice));
    CU(cudaMemcpy(dOff, off.data(), off.size() * 4, cudaMemcpyHostToDevice));
    CU(cudaMemcpy(dVel, vel.data(), ns * 4, cudaMemcpyHostToDevice));

    nmoStack<<<dim3((g.nt + SX - 1) / SX, g.ncmp), dim3(SX, SY)>>>(g, dData, dOff, dVel, dStack, dFold);
    CU(cudaGetLastError());

    std::vector<float> st(ns);
    std::vector<int> fo(ns);
    CU(cudaMemcpy(st.data(), dStack, ns * 4, cudaMemcpyDeviceToHost));
    CU(cudaMemcpy(fo.data(), dFold, ns * sizeof(int), cudaMemcpyDeviceToHost));
    double en = 0;
    long live = 0;
    for (size_t i = 0; i < ns; ++i) { en += (double)st[i] * st[i]; live += fo[i]; }
    printf("stack energy %.6f, live samples %ld\n", en, live);
    for (int i = 60; i < g.nt; i += 90) printf("t=%.3f  %.5f (%d)\n", i * g.dt, st[5 * g.nt + i], fo[5 * g.nt + i]);
    CU(cudaFree(dData)); CU(cudaFree(dOff)); CU(cudaFree(dVel)); CU(cudaFree(dStack)); CU(cudaFree(dFold));
    return 0;
}
