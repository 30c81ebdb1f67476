#include <cstdio>
#include <cmath>
#include <vector>
#include <cuda_runtime.h>

#define SOFTENING 1e-2f
#define BLOCK_SIZE 128

typedef struct { float4 *pos, *vel; } BodySystem;

__device__ float3 bodyBodyInteraction(float4 bi, float4 bj, float3 ai)
{
    float3 r;
    r.x = bj.x - bi.x;
    r.y = bj.y - bi.y;
    r.z = bj.z - bi.z;
    float distSqr = r.x * r.x + r.y * r.y + r.z * r.z + SOFTENING;
    float invDist = rsqrtf(distSqr);
    float s = bj.w * invDist * invDist * invDist;
    ai.x += r.x * s;
    ai.y += r.y * s;
    ai.z += r.z * s;
    return ai;
}

__global__ void bodyForce(const float4 *p, float4 *v, float dt, int n)
{
    __shared__ float4 spos[BLOCK_SIZE];
    int i = blockDim.x * blockIdx.x + threadIdx.x;
    float4 me = i < n ? p[i] : make_float4(0, 0, 0, 0);
    float3 acc = {0.0f, 0.0f, 0.0f};

    for (int tile = 0; tile < gridDim.x; tile++) {
        int src = tile * BLOCK_SIZE + threadIdx.x;
        spos[threadIdx.x] = src < n ? p[src] : make_float4(0.f, 0.f, 0.f, 0.f);
        __syncthreads();
#pragma unroll 8
        for (int j = 0; j < BLOCK_SIZE; j++)
            acc = bodyBodyInteraction(me, spos[j], acc);
        __syncthreads();
    }
    if (i < n) {
        v[i].x += dt * acc.x; v[i].y += dt * acc.y; v[i].z += dt * acc.z;
    }
}

__global__ void integrate(float4 *p, float4 *v, float dt, int n)
{
    int i = blockDim.x * blockIdx.x + threadIdx.x;
    if (i >= n) return;
    float4 pi = p[i], vi = v[i];
    pi.x += vi.x * dt;
    pi.y += vi.y * dt;
    pi.z += vi.z * dt;
    p[i] = pi;
}

int main()
{
    const int n = 1000;
    const float dt = 0.01f;
    std::vector<float4> pos(n), vel(n), rp, rv;
    unsigned seed = 42;
    auto rnd = [&] { seed = seed * 1664525u + 1013904223u; return (seed >> 8) * (2.0f / 16777216.0f) - 1.0f; };
    for (int i = 0; i < n; i++) { pos[i] = make_float4(rnd(), rnd(), rnd(), 0.001f); vel[i] = make_float4(0, 0, 0, 0); }
    BodySystem d;
    cudaMalloc(&d.pos, n * sizeof(float4));
    cudaMalloc(&d.vel, n * sizeof(float4));
    cudaMemcpy(d.pos, pos.data(), n * sizeof(float4), cudaMemcpyHostToDevice);
    cudaMemcpy(d.vel, vel.data(), n * sizeof(float4), cudaMemcpyHostToDevice);
    int nBlocks = (n + BLOCK_SIZE - 1) / BLOCK_SIZE;
    for (int it = 0; it < 2; it++) {
        bodyForce<<<nBlocks, BLOCK_SIZE>>>(d.pos, d.vel, dt, n);
        integrate<<<nBlocks, BLOCK_SIZE>>>(d.pos, d.vel, dt, n);
    }
    rp.resize(n);
    cudaMemcpy(rp.data(), d.pos, n * sizeof(float4), cudaMemcpyDeviceToHost);
    for (int it = 0; it < 2; it++) {
        for (int i = 0; i < n; i++) {
            double ax = 0, ay = 0, az = 0;
            for (int j = 0; j < n; j++) {
                double dx = pos[j].x - pos[i].x, dy = pos[j].y - pos[i].y, dz = pos[j].z - pos[i].z;
                double inv = 1.0 / sqrt(dx * dx + dy * dy + dz * dz + SOFTENING);
                double s = pos[j].w * inv * inv * inv;
                ax += dx * s; ay += dy * s; az += dz * s;
            }
            vel[i].x += dt * ax; vel[i].y += dt * ay; vel[i].z += dt * az;
        }
        for (int i = 0; i < n; i++) { pos[i].x += vel[i].x * dt; pos[i].y += vel[i].y * dt; pos[i].z += vel[i].z * dt; }
    }
    bool ok = cudaGetLastError() == cudaSuccess;
    for (int i = 0; i < n; i++)
        if (fabsf(rp[i].x - pos[i].x) + fabsf(rp[i].y - pos[i].y) + fabsf(rp[i].z - pos[i].z) > 1e-4f) ok = false;
    printf("nbody_tile %s\n", ok ? "PASS" : "FAIL");
    return ok ? 0 : 1;
}
