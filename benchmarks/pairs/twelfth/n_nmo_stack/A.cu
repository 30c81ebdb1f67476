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
__global__ void nmoStack(Geometry g, const float* data, const float* offset, const float* vel,
                         float* stack, int* fold)
{
    int it = blockIdx.x * blockDim.x + threadIdx.x;
    int cmp = blockIdx.y;
    if (it >= g.nt) return;
    float t0 = it * g.dt;
    float v = vel[cmp * g.nt + it];
    float sum = 0.f;
    int cnt = 0;
    for (int tr = 0; tr < g.nfold; ++tr) {
        float x = offset[cmp * g.nfold + tr];
        float t = sqrtf(fmaf(t0, t0, x * x / (v * v)));
        if (t > g.stretch * t0) continue;
        float pos = t / g.dt;
        int i = (int)pos;
        if (i + 1 >= g.nt) continue;
        const float* d = data + ((size_t)cmp * g.nfold + tr) * g.nt;
        float w = pos - (float)i;
        sum += d[i] * (1.f - w) + d[i + 1] * w;
        cnt++;
    }
    stack[cmp * g.nt + it] = cnt > 0 ? sum / cnt : 0.f;
    fold[cmp * g.nt + it] = cnt;
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

    nmoStack<<<dim3((g.nt + 127) / 128, g.ncmp), 128>>>(g, dData, dOff, dVel, dStack, dFold);
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
