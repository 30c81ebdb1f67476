// Same particle push with an array of structs and with a struct of arrays.
#include <cstdio>
#include <cstdlib>
#include <cmath>
#include <cuda_runtime.h>

struct Particle {
    float x, y, z;
    float vx, vy, vz;
    int   alive;
};

struct ParticlesSoA {
    float *x, *y, *z, *vx, *vy, *vz;
    int *alive;
};

__host__ __device__ inline void bounce(float &p, float &v)
{
    if (p < 0.f) { p = -p; v = -v; }
    else if (p > 1.f) { p = 2.f - p; v = -v; }
}

__global__ void push_aos(Particle *ps, int n, float dt)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    if (!ps[i].alive) return;
    ps[i].vz -= 9.8f * dt;
    ps[i].x += ps[i].vx * dt;
    ps[i].y += ps[i].vy * dt;
    ps[i].z += ps[i].vz * dt;
    bounce(ps[i].x, ps[i].vx);
    bounce(ps[i].y, ps[i].vy);
    bounce(ps[i].z, ps[i].vz);
}

__global__ void push_soa(ParticlesSoA s, int n, float dt)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n || s.alive[i] == 0) return;
    float x = s.x[i], y = s.y[i], z = s.z[i];
    float vx = s.vx[i], vy = s.vy[i], vz = s.vz[i] - 9.8f * dt;
    x += vx * dt; y += vy * dt; z += vz * dt;
    bounce(x, vx); bounce(y, vy); bounce(z, vz);
    s.x[i] = x;   s.y[i] = y;   s.z[i] = z;
    s.vx[i] = vx; s.vy[i] = vy; s.vz[i] = vz;
}

int main()
{
    const int n = 30007;
    const float dt = 0.02f;
    Particle *h = new Particle[n], *g = new Particle[n];
    for (int i = 0; i < n; ++i)
        h[i] = Particle{ (i % 97) / 97.f, (i % 89) / 89.f, (i % 83) / 83.f, (i % 7) - 3.f, (i % 5) - 2.f, (i % 3) - 1.f, (i % 6) != 0 };
    Particle *d; cudaMalloc(&d, n * sizeof(Particle));
    cudaMemcpy(d, h, n * sizeof(Particle), cudaMemcpyHostToDevice);

    float *pool; int *al;
    cudaMalloc(&pool, 6 * n * sizeof(float)); cudaMalloc(&al, n * sizeof(int));
    float *hp = (float*)malloc(6 * n * sizeof(float)); int *ha = (int*)malloc(n * sizeof(int));
    for (int i = 0; i < n; ++i) {
        hp[i] = h[i].x; hp[n + i] = h[i].y; hp[2 * n + i] = h[i].z;
        hp[3 * n + i] = h[i].vx; hp[4 * n + i] = h[i].vy; hp[5 * n + i] = h[i].vz;
        ha[i] = h[i].alive;
    }
    cudaMemcpy(pool, hp, 6 * n * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemcpy(al, ha, n * sizeof(int), cudaMemcpyHostToDevice);
    ParticlesSoA soa = { pool, pool + n, pool + 2 * n, pool + 3 * n, pool + 4 * n, pool + 5 * n, al };

    int threads = 192, blocks = (n + threads - 1) / threads;
    push_aos<<<blocks, threads>>>(d, n, dt);
    push_soa<<<blocks, threads>>>(soa, n, dt);
    cudaMemcpy(g, d, n * sizeof(Particle), cudaMemcpyDeviceToHost);
    cudaMemcpy(hp, pool, 6 * n * sizeof(float), cudaMemcpyDeviceToHost);

    bool ok = cudaGetLastError() == cudaSuccess;
    for (int i = 0; i < n; ++i) {
        Particle p = h[i];
        if (p.alive) {
            p.vz -= 9.8f * dt;
            p.x += p.vx * dt; p.y += p.vy * dt; p.z += p.vz * dt;
            bounce(p.x, p.vx); bounce(p.y, p.vy); bounce(p.z, p.vz);
        }
        // positions only (a rounding at the wall may flip a velocity sign)
        if (fabsf(p.x - g[i].x) > 1e-4f || fabsf(p.y - g[i].y) > 1e-4f || fabsf(p.z - g[i].z) > 1e-4f) ok = false;
        if (fabsf(p.x - hp[i]) > 1e-4f || fabsf(p.y - hp[n + i]) > 1e-4f || fabsf(p.z - hp[2 * n + i]) > 1e-4f) ok = false;
    }
    printf("particles_soa_aos %s\n", ok ? "PASS" : "FAIL");
    return ok ? 0 : 1;
}
