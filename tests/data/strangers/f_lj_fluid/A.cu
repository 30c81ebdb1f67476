// Lennard-Jones fluid in a periodic cubic box, velocity Verlet.
// Positions are kept unwrapped: the mean square displacement is taken from them.
#include <cuda_runtime.h>
#include <cstdio>
#include <cstdlib>
#include <cmath>
#include <vector>

#define cudaCheck(ans) { gpuAssert((ans), __FILE__, __LINE__); }
inline void gpuAssert(cudaError_t code, const char* file, int line)
{
    if (code != cudaSuccess) { fprintf(stderr, "GPUassert: %s %s %d\n", cudaGetErrorString(code), file, line); exit(code); }
}

typedef float real;

struct Params { real box, rc2, dt; int n; };

__global__ void forces(const real* px, const real* py, const real* pz, real* fx, real* fy, real* fz, real* pe, Params P)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= P.n) return;
    real ax = 0, ay = 0, az = 0, e = 0;
    for (int j = 0; j < P.n; j++) {
        if (j == i) continue;
        real dx = px[i] - px[j], dy = py[i] - py[j], dz = pz[i] - pz[j];
        dx -= P.box * rintf(dx / P.box);
        dy -= P.box * rintf(dy / P.box);
        dz -= P.box * rintf(dz / P.box);
        real r2 = dx * dx + dy * dy + dz * dz;
        if (r2 < P.rc2) {
            real i2 = 1.0f / r2, i6 = i2 * i2 * i2;
            real f = 24.0f * i2 * i6 * (2.0f * i6 - 1.0f);
            ax += f * dx; ay += f * dy; az += f * dz;
            e += 2.0f * i6 * (i6 - 1.0f);
        }
    }
    fx[i] = ax; fy[i] = ay; fz[i] = az; pe[i] = e;
}

__global__ void drift(real* p, real* v, const real* f, Params P)      // half kick + drift, one component
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < P.n) { v[i] += 0.5f * P.dt * f[i]; p[i] += P.dt * v[i]; }
}

__global__ void kick(real* v, const real* f, Params P)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < P.n) v[i] += 0.5f * P.dt * f[i];
}

int main()
{
    const int side = 9;
    Params P; P.n = side * side * side; P.box = side * 1.15f; P.rc2 = 2.5f * 2.5f; P.dt = 0.002f;
    const int steps = 12;
    std::vector<real> p[3], v[3], p0[3];
    unsigned s = 7u;
    for (int i = 0; i < P.n; i++) {
        int c[3] = { i % side, (i / side) % side, i / (side * side) };
        for (int d = 0; d < 3; d++) {
            s = s * 69069u + 1u;
            p[d].push_back((c[d] + 0.5f) * 1.15f + 0.05f * ((s >> 16) / 65536.0f - 0.5f));
            s = s * 69069u + 1u;
            v[d].push_back(2.0f * ((s >> 16) / 65536.0f - 0.5f));
        }
    }
    for (int d = 0; d < 3; d++) p0[d] = p[d];
    real *dp[3], *dv[3], *df[3], *dpe;
    const size_t bytes = P.n * sizeof(real);
    for (int d = 0; d < 3; d++) {
        cudaCheck(cudaMalloc(&dp[d], bytes)); cudaCheck(cudaMalloc(&dv[d], bytes)); cudaCheck(cudaMalloc(&df[d], bytes));
        cudaCheck(cudaMemcpy(dp[d], p[d].data(), bytes, cudaMemcpyHostToDevice));
        cudaCheck(cudaMemcpy(dv[d], v[d].data(), bytes, cudaMemcpyHostToDevice));
    }
    cudaCheck(cudaMalloc(&dpe, bytes));
    const int B = 128, G = (P.n + B - 1) / B;
    forces<<<G, B>>>(dp[0], dp[1], dp[2], df[0], df[1], df[2], dpe, P);
    for (int t = 0; t < steps; t++) {
        for (int d = 0; d < 3; d++) drift<<<G, B>>>(dp[d], dv[d], df[d], P);
        forces<<<G, B>>>(dp[0], dp[1], dp[2], df[0], df[1], df[2], dpe, P);
        for (int d = 0; d < 3; d++) kick<<<G, B>>>(dv[d], df[d], P);
    }
    cudaCheck(cudaGetLastError());
    std::vector<real> pe(P.n);
    double epot = 0, ekin = 0, msd = 0;
    cudaCheck(cudaMemcpy(pe.data(), dpe, bytes, cudaMemcpyDeviceToHost));
    for (int d = 0; d < 3; d++) {
        cudaCheck(cudaMemcpy(p[d].data(), dp[d], bytes, cudaMemcpyDeviceToHost));
        cudaCheck(cudaMemcpy(v[d].data(), dv[d], bytes, cudaMemcpyDeviceToHost));
        for (int i = 0; i < P.n; i++) { ekin += 0.5 * v[d][i] * v[d][i]; double u = p[d][i] - p0[d][i]; msd += u * u; }
    }
    for (int i = 0; i < P.n; i++) epot += pe[i];
    printf("E_pot/N %.4f  E_kin/N %.4f  E/N %.4f  msd %.6f\n", epot / P.n, ekin / P.n, (epot + ekin) / P.n, msd / P.n);
    for (int d = 0; d < 3; d++) { cudaFree(dp[d]); cudaFree(dv[d]); cudaFree(df[d]); }
    cudaFree(dpe);
    return 0;
}
