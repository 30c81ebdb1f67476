// Lennard-Jones fluid in a periodic cubic box, velocity Verlet.
// Positions are kept unwrapped: the mean square displacement is taken from them.
#include <cuda_runtime.h>
#include <cstdio>
#include <cstdlib>
#include <cmath>
#include <vector>
#include <utility>

#define cudaCheck(ans) { gpuAssert((ans), __FILE__, __LINE__); }
inline void gpuAssert(cudaError_t code, const char* file, int line)
{
    if (code != cudaSuccess) { fprintf(stderr, "GPUassert: %s %s %d\n", cudaGetErrorString(code), file, line); exit(code); }
}

typedef float real;

struct Params { real box, rc2, dt; int n; };

#define TILE 64

__device__ __forceinline__ real nearest(real d, real box, real half)
{
    d = d >  half ? d - box : d;
    d = d < -half ? d + box : d;
    return d;
}

// forces at the new positions, then the second half kick of this step and
// the first half kick + drift of the next one (phase: 0 first call, 1 inner, 2 last)
__global__ void __launch_bounds__(TILE)
forceStep(const float4* __restrict__ pos, float4* __restrict__ posOut, float4* __restrict__ vel,
          real* __restrict__ pe, Params P, int phase)
{
    __shared__ float4 tile[TILE];
    const int i = blockIdx.x * TILE + threadIdx.x;
    const real half = 0.5f * P.box;
    const float4 me = pos[min(i, P.n - 1)];
    real ax = 0, ay = 0, az = 0, e = 0;
    for (int base = 0; base < P.n; base += TILE) {
        if (base + (int)threadIdx.x < P.n) tile[threadIdx.x] = pos[base + threadIdx.x];
        __syncthreads();
        const int m = min(TILE, P.n - base);
        for (int k = 0; k < m; k++) {
            const float4 o = tile[k];
            real dx = nearest(me.x - o.x, P.box, half);
            real dy = nearest(me.y - o.y, P.box, half);
            real dz = nearest(me.z - o.z, P.box, half);
            real r2 = dx * dx + dy * dy + dz * dz;
            if (r2 < P.rc2 && base + k != i) {
                real i2 = 1.0f / r2, i6 = i2 * i2 * i2;
                real f = 24.0f * i2 * i6 * (2.0f * i6 - 1.0f);
                ax += f * dx; ay += f * dy; az += f * dz;
                e += 2.0f * i6 * (i6 - 1.0f);
            }
        }
        __syncthreads();
    }
    if (i >= P.n) return;
    const real hk = 0.5f * P.dt;
    float4 v = vel[i], q = me;
    if (phase != 0) { v.x += hk * ax; v.y += hk * ay; v.z += hk * az; }
    if (phase != 2) {
        v.x += hk * ax; v.y += hk * ay; v.z += hk * az;
        q.x += P.dt * v.x; q.y += P.dt * v.y; q.z += P.dt * v.z;
    }
    vel[i] = v; posOut[i] = q; pe[i] = e;
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
    std::vector<float4> hp(P.n), hv(P.n);
    for (int i = 0; i < P.n; i++) {
        hp[i] = make_float4(p[0][i], p[1][i], p[2][i], 0.f);
        hv[i] = make_float4(v[0][i], v[1][i], v[2][i], 0.f);
    }
    float4 *dpA, *dpB, *dv; real* dpe;
    const size_t bytes = P.n * sizeof(float4);
    cudaCheck(cudaMalloc(&dpA, bytes)); cudaCheck(cudaMalloc(&dpB, bytes)); cudaCheck(cudaMalloc(&dv, bytes));
    cudaCheck(cudaMalloc(&dpe, P.n * sizeof(real)));
    cudaCheck(cudaMemcpy(dpA, hp.data(), bytes, cudaMemcpyHostToDevice));
    cudaCheck(cudaMemcpy(dv, hv.data(), bytes, cudaMemcpyHostToDevice));
    const int G = (P.n + TILE - 1) / TILE;
    for (int t = 0; t <= steps; t++) {
        forceStep<<<G, TILE>>>(dpA, dpB, dv, dpe, P, t == 0 ? 0 : t == steps ? 2 : 1);
        std::swap(dpA, dpB);
    }
    cudaCheck(cudaGetLastError());
    std::vector<real> pe(P.n);
    double epot = 0, ekin = 0, msd = 0;
    cudaCheck(cudaMemcpy(pe.data(), dpe, P.n * sizeof(real), cudaMemcpyDeviceToHost));
    cudaCheck(cudaMemcpy(hp.data(), dpA, bytes, cudaMemcpyDeviceToHost));
    cudaCheck(cudaMemcpy(hv.data(), dv, bytes, cudaMemcpyDeviceToHost));
    for (int i = 0; i < P.n; i++) {
        const real q[3] = { hp[i].x, hp[i].y, hp[i].z }, w[3] = { hv[i].x, hv[i].y, hv[i].z };
        for (int d = 0; d < 3; d++) { ekin += 0.5 * w[d] * w[d]; double u = q[d] - p0[d][i]; msd += u * u; }
    }
    for (int i = 0; i < P.n; i++) epot += pe[i];
    printf("E_pot/N %.4f  E_kin/N %.4f  E/N %.4f  msd %.6f\n", epot / P.n, ekin / P.n, (epot + ekin) / P.n, msd / P.n);
    cudaFree(dpA); cudaFree(dpB); cudaFree(dv); cudaFree(dpe);
    return 0;
}
