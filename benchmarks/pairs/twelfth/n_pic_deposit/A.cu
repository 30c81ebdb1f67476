// 1-D electrostatic particle-in-cell toy: drift the particles, deposit charge (cloud in cell).
#include <iostream>
#include <cstdlib>
#include <cmath>
#include <vector>
#include <cuda_runtime.h>

inline void gpuAssert(cudaError_t code, const char* file, int line)
{
    if (code != cudaSuccess) {
        std::cerr << cudaGetErrorString(code) << " " << file << ":" << line << "\n";
        std::exit(code);
    }
}
#define gpuErrchk(ans) gpuAssert((ans), __FILE__, __LINE__)

struct Particles {
    float* x;     // position in cells, in [0, ncell)
    float* v;     // cells per unit time
    int count;
};

__global__ void pushParticles(Particles p, const float* efield, int ncell, float dt)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= p.count) return;
    float x = p.x[i], v = p.v[i];
    int c = min((int)x, ncell - 1);
    v += dt * efield[c];
    x += dt * v;
    x -= floorf(x / ncell) * ncell;
    if (x >= ncell) x = 0.0f;
    p.x[i] = x;
    p.v[i] = v;
}

__global__ void depositCharge(Particles p, float q, float* rho, int ncell)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= p.count) return;
    float x = p.x[i];
    int c = min((int)x, ncell - 1);
    float w = x - c;
    atomicAdd(&rho[c], q * (1.0f - w));
    atomicAdd(&rho[c + 1 == ncell ? 0 : c + 1], q * w);
}

int main()
{
    const int ncell = 1000, count = 60000, steps = 8;
    const float dt = 0.2f, q = (float)ncell / count;

    std::vector<float> x(count), v(count), e(ncell), rho(ncell);
    unsigned s = 99u;
    for (int i = 0; i < count; ++i) {
        s = s * 1103515245u + 12345u;
        float jitter = ((s >> 9) & 1023) / 1024.0f;
        x[i] = (i + jitter) * ((float)ncell / count);        // loaded cell by cell
        if (x[i] >= ncell) x[i] = 0.0f;
        s = s * 1103515245u + 12345u;
        v[i] = 2.0f * (((s >> 9) & 4095) / 4096.0f) - 1.0f;
    }
    for (int c = 0; c < ncell; ++c) e[c] = 0.3f * std::sin(2.0f * (float)M_PI * c / ncell);

    Particles p{nullptr, nullptr, count};
    float *dE, *dRho;
    gpuErrchk(cudaMalloc(&p.x, count * sizeof(float)));
    gpuErrchk(cudaMalloc(&p.v, count * sizeof(float)));
    gpuErrchk(cudaMalloc(&dE, ncell * sizeof(float)));
    gpuErrchk(cudaMalloc(&dRho, ncell * sizeof(float)));
    gpuErrchk(cudaMemcpy(p.x, x.data(), count * sizeof(float), cudaMemcpyHostToDevice));
    gpuErrchk(cudaMemcpy(p.v, v.data(), count * sizeof(float), cudaMemcpyHostToDevice));
    gpuErrchk(cudaMemcpy(dE, e.data(), ncell * sizeof(float), cudaMemcpyHostToDevice));

    const int tpb = 256, nb = (count + tpb - 1) / tpb;
    for (int t = 0; t < steps; ++t) {
        pushParticles<<<nb, tpb>>>(p, dE, ncell, dt);
        gpuErrchk(cudaMemset(dRho, 0, ncell * sizeof(float)));
        depositCharge<<<nb, tpb>>>(p, q, dRho, ncell);
        gpuErrchk(cudaGetLastError());
        gpuErrchk(cudaMemcpy(rho.data(), dRho, ncell * sizeof(float), cudaMemcpyDeviceToHost));
        double total = 0, fluct = 0;
        for (float r : rho) { total += r; fluct += (r - 1.0) * (r - 1.0); }
        std::cout << "step " << t << " total " << (int)std::lround(total) << " rms "
                  << (float)std::lround(1e3 * std::sqrt(fluct / ncell)) / 1e3f << "\n";
    }
    gpuErrchk(cudaFree(p.x));
    gpuErrchk(cudaFree(p.v));
    gpuErrchk(cudaFree(dE));
    gpuErrchk(cudaFree(dRho));
    return 0;
}
