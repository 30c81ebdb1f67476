// 2-D acoustic finite differences (2nd order in time, 4th in space), one point source,
// a line of receivers recorded every step.
#include <cstdio>
#include <cstdlib>
#include <cmath>
#include <vector>
#include <cuda_runtime.h>

#define CUDA(stmt)                                                              \
    do {                                                                        \
        cudaError_t err = stmt;                                                 \
        if (err != cudaSuccess) {                                               \
            fprintf(stderr, "%s -> %s\n", #stmt, cudaGetErrorString(err));      \
            abort();                                                            \
        }                                                                       \
    } while (0)

struct Model {
    int nx, nz;
    float* m;      // (v*dt/h)^2
};

// Time step on a shared tile; the source term is added by the thread that owns the source cell.
constexpr int BX = 32, BZ = 8;

__global__ void __launch_bounds__(BX * BZ)
step_kernel(Model g, const float* __restrict__ cur, float* __restrict__ prev, int src, float amp)
{
    __shared__ float s[BZ + 4][BX + 4];
    const int x0 = blockIdx.x * BX - 2, z0 = blockIdx.y * BZ - 2;
    for (int k = threadIdx.y * BX + threadIdx.x; k < (BX + 4) * (BZ + 4); k += BX * BZ) {
        int lx = k % (BX + 4), lz = k / (BX + 4);
        int gx = x0 + lx, gz = z0 + lz;
        s[lz][lx] = (gx >= 0 && gz >= 0 && gx < g.nx && gz < g.nz) ? cur[gz * g.nx + gx] : 0.0f;
    }
    __syncthreads();
    const int ix = blockIdx.x * BX + threadIdx.x, iz = blockIdx.y * BZ + threadIdx.y;
    if (ix < 2 || iz < 2 || ix >= g.nx - 2 || iz >= g.nz - 2) return;
    const int i = iz * g.nx + ix, tx = threadIdx.x + 2, tz = threadIdx.y + 2;
    const float c = s[tz][tx];
    float lap = -5.0f * c
        + (4.0f / 3.0f) * (s[tz][tx - 1] + s[tz][tx + 1] + s[tz - 1][tx] + s[tz + 1][tx])
        - (1.0f / 12.0f) * (s[tz][tx - 2] + s[tz][tx + 2] + s[tz - 2][tx] + s[tz + 2][tx]);
    float w = 2.0f * c - prev[i] + g.m[i] * lap;
    if (i == src) w += amp;
    prev[i] = w;
}

__global__ void record(const float* u, const int* where, int nrec, float* trace)
{
    int r = blockIdx.x * blockDim.x + threadIdx.x;
    if (r < nrec) trace[r] = u[where[r]];
}

static float ricker(float t, float f)
{
    float a = (float)M_PI * f * (t - 1.2f / f);
    a *= a;
    return (1.0f - 2.0f * a) * expf(-a);
}

int main()
{
    const int nx = 180, nz = 130, nt = 110, nrec = 150;
    const float dt = 0.001f, h = 6.0f;
    const int n = nx * nz;

    std::vector<float> mod(n);
    for (int z = 0; z < nz; z++)
        for (int x = 0; x < nx; x++) {
            float v = z < 50 ? 1800.f : (z < 85 + (x % 60) / 10 ? 2400.f : 3100.f);
            mod[z * nx + x] = (v * dt / h) * (v * dt / h);
        }
    std::vector<int> where(nrec);
    for (int r = 0; r < nrec; r++) where[r] = 6 * nx + 15 + r;

    Model g{nx, nz, nullptr};
    float *p, *q, *traces;
    int* dw;
    CUDA(cudaMalloc(&g.m, n * sizeof(float)));
    CUDA(cudaMalloc(&p, n * sizeof(float)));
    CUDA(cudaMalloc(&q, n * sizeof(float)));
    CUDA(cudaMalloc(&traces, (size_t)nt * nrec * sizeof(float)));
    CUDA(cudaMalloc(&dw, nrec * sizeof(int)));
    CUDA(cudaMemcpy(g.m, mod.data(), n * sizeof(float), cudaMemcpyHostToDevice));
    CUDA(cudaMemcpy(dw, where.data(), nrec * sizeof(int), cudaMemcpyHostToDevice));
    CUDA(cudaMemset(p, 0, n * sizeof(float)));
    CUDA(cudaMemset(q, 0, n * sizeof(float)));

    // Recording runs beside the propagation: its own stream, ordered after the step by an event.
    cudaStream_t prop, rec;
    cudaEvent_t ready;
    CUDA(cudaDeviceSynchronize());
    CUDA(cudaStreamCreateWithFlags(&prop, cudaStreamNonBlocking));
    CUDA(cudaStreamCreateWithFlags(&rec, cudaStreamNonBlocking));
    CUDA(cudaEventCreateWithFlags(&ready, cudaEventDisableTiming));

    dim3 b(BX, BZ), gr((nx + BX - 1) / BX, (nz + BZ - 1) / BZ);
    for (int it = 0; it < nt; it++) {
        step_kernel<<<gr, b, 0, prop>>>(g, q, p, 12 * nx + nx / 2, ricker(it * dt, 25.0f));
        CUDA(cudaEventRecord(ready, prop));
        CUDA(cudaStreamWaitEvent(rec, ready, 0));
        record<<<(nrec + 63) / 64, 64, 0, rec>>>(p, dw, nrec, traces + (size_t)it * nrec);
        float* t = p; p = q; q = t;
    }
    CUDA(cudaStreamSynchronize(prop));
    CUDA(cudaStreamSynchronize(rec));
    CUDA(cudaGetLastError());

    std::vector<float> tr((size_t)nt * nrec);
    CUDA(cudaMemcpy(tr.data(), traces, tr.size() * sizeof(float), cudaMemcpyDeviceToHost));
    double e = 0;
    for (float v : tr) e += (double)v * v;
    printf("trace energy %.6e\n", e);
    for (int it = 10; it < nt; it += 20) printf("t=%d %.6f %.6f\n", it, tr[it * nrec + 75], tr[it * nrec + 90]);
    CUDA(cudaFree(g.m)); CUDA(cudaFree(p)); CUDA(cudaFree(q)); CUDA(cudaFree(traces)); CUDA(cudaFree(dw));
    CUDA(cudaEventDestroy(ready)); CUDA(cudaStreamDestroy(prop)); CUDA(cudaStreamDestroy(rec));
    return 0;
}
