// Range-Doppler map: for every range bin an FFT over 256 pulses (radix-2, in shared memory).
#include <cuda_runtime.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <vector>

#define NP 256          /* pulses  */
#define LOGNP 8
#define NR 400          /* range bins */

#define cudaTry(c) if ((c) != cudaSuccess) { fprintf(stderr, "cuda error at line %d\n", __LINE__); exit(1); }

// cube: [range][pulse]; out: [range][doppler] power. blockDim.x == NP / 2.
__global__ void dopplerFFT(const float2* cube, const float* win, float* out)
{
    __shared__ float2 s[NP];
    int t = threadIdx.x;
    const float2* row = cube + (size_t)blockIdx.x * NP;
    for (int i = t; i < NP; i += blockDim.x) {
        float2 v = row[i];
        float g = win[i];
        unsigned r = __brev((unsigned)i) >> (32 - LOGNP);
        s[r] = make_float2(v.x * g, v.y * g);
    }
    __syncthreads();
    for (int half = 1; half < NP; half <<= 1) {
        int k = t & (half - 1);
        int a = ((t - k) << 1) + k;
        int b = a + half;
        float sn, cs;
        sincospif(-(float)k / (float)half, &sn, &cs);
        float2 u = s[a], v = s[b];
        float2 w = make_float2(v.x * cs - v.y * sn, v.x * sn + v.y * cs);
        s[a] = make_float2(u.x + w.x, u.y + w.y);
        s[b] = make_float2(u.x - w.x, u.y - w.y);
        __syncthreads();
    }
    float* o = out + (size_t)blockIdx.x * NP;
    for (int i = t; i < NP; i += blockDim.x) {
        float2 v = s[(i + NP / 2) & (NP - 1)];       // zero Doppler in the middle
        o[i] = v.x * v.x + v.y * v.y;
    }
}

int main()
{
    std::vector<float2> cube((size_t)NR * NP);
    std::vector<float> win(NP), pw((size_t)NR * NP);
    for (int i = 0; i < NP; i++) win[i] = 0.54f - 0.46f * cosf(2.f * 3.14159265f * i / (NP - 1));
    unsigned seed = 31337;
    for (int r = 0; r < NR; r++)
        for (int p = 0; p < NP; p++) {
            seed = seed * 1664525u + 1013904223u;
            float nx = (seed >> 16) / 65536.f - 0.5f;
            seed = seed * 1664525u + 1013904223u;
            float ny = (seed >> 16) / 65536.f - 0.5f;
            float amp = (r % 37 == 5) ? 3.f : 0.f;
            float ph = 2.f * 3.14159265f * (float)((p * (r % 97)) % NP) / NP;
            cube[(size_t)r * NP + p] = make_float2(nx + amp * cosf(ph), ny + amp * sinf(ph));
        }
    float2* dc; float *dw, *dp;
    cudaTry(cudaMalloc((void**)&dc, cube.size() * sizeof(float2)));
    cudaTry(cudaMalloc((void**)&dw, NP * sizeof(float)));
    cudaTry(cudaMalloc((void**)&dp, pw.size() * sizeof(float)));
    cudaTry(cudaMemcpy(dc, cube.data(), cube.size() * sizeof(float2), cudaMemcpyHostToDevice));
    cudaTry(cudaMemcpy(dw, win.data(), NP * sizeof(float), cudaMemcpyHostToDevice));
    dopplerFFT<<<NR, NP / 2>>>(dc, dw, dp);
    cudaTry(cudaGetLastError());
    cudaTry(cudaMemcpy(pw.data(), dp, pw.size() * sizeof(float), cudaMemcpyDeviceToHost));
    double tot = 0;
    for (float v : pw) tot += v;
    printf("total power %.6e\n", tot);
    for (int r = 5; r < NR; r += 37) {
        int b = 0;
        for (int i = 1; i < NP; i++) if (pw[(size_t)r * NP + i] > pw[(size_t)r * NP + b]) b = i;
        printf("range %3d: doppler %4d  %.3e\n", r, b - NP / 2, pw[(size_t)r * NP + b]);
    }
    cudaFree(dc); cudaFree(dw); cudaFree(dp);
    return 0;
}
