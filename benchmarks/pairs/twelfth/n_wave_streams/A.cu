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

__global__ void step_kernel(Model g, const float* cur, float* prev)
{
    int ix = blockIdx.x * blockDim.x + threadIdx.x;
    int iz = blockIdx.y * blockDim.y + threadIdx.y;
    if (ix < 2 || iz < 2 || ix >= g.nx - 2 || iz >= g.nz - 2) return;
    int i = iz * g.nx + ix;
    float lap = -5.0f * cur[i]
        + (4.0f / 3.0f) * (cur[i - 1] + cur[i + 1] + cur[i - g.nx] + cur[i + g.nx])
        - (1.0f / 12.0f) * (cur[i - 2] + cur[i + 2] + cur[i - 2 * g.nx] + cur[i + 2 * g.nx]);
    prev[i] = 2.0f * cur[i] - prev[i] + g.m[i] * lap;     // becomes the next field
}

__global__ void inject(float* u, int at, float amp) { u[at] += amp; }

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

    dim3 b(32, 4), gr((nx + 31) / 32, (nz + 3) / 4);
    for (int it = 0; it < nt; it++) {
        step_kernel<<<gr, b>>>(g, q, p);
        inject<<<1, 1>>>(p, 12 * nx + nx / 2, ricker(it * dt, 25.0f));
        record<<<(nrec + 63) / 64, 64>>>(p, dw, nrec, traces + (size_t)it * nrec);
        float* t = p; p = q; q = t;
    }
    CUDA(cudaGetLastError());

    std::vector<float> tr((size_t)nt * nrec);
    CUDA(cudaMemcpy(tr.data(), traces, tr.size() * sizeof(float), cudaMemcpyDeviceToHost));
    double e = 0;
    for (float v : tr) e += (double)v * v;
    printf("trace energy %.6e\n", e);
    for (int it = 10; it < nt; it += 20) printf("t=%d %.6f %.6f\n", it, tr[it * nrec + 75], tr[it * nrec + 90]);
    CUDA(cudaFree(g.m)); CUDA(cudaFree(p)); CUDA(cudaFree(q)); CUDA(cudaFree(traces)); CUDA(cudaFree(dw));
    return 0;
}
