// Small softened N-body (leapfrog), direct sum.
#include <cstdio>
#include <cstdlib>
#include <cmath>
#include <vector>
#include <cuda_runtime.h>

#define CK(x) do { cudaError_t e_ = (x); if (e_ != cudaSuccess) { \
    fprintf(stderr, "%s:%d %s\n", __FILE__, __LINE__, cudaGetErrorString(e_)); exit(1); } } while (0)

__global__ void accel_kernel(const float4* __restrict__ pos, float4* __restrict__ acc, int n, float eps2)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float4 pi = pos[i];
    float ax = 0.f, ay = 0.f, az = 0.f;
    for (int j = 0; j < n; ++j) {
        float4 pj = pos[j];
        float dx = pj.x - pi.x;
        float dy = pj.y - pi.y;
        float dz = pj.z - pi.z;
        float r2 = dx * dx + dy * dy + dz * dz + eps2;
        float inv = rsqrtf(r2);
        float s = pj.w * inv * inv * inv;
        ax += dx * s;
        ay += dy * s;
        az += dz * s;
    }
    acc[i] = make_float4(ax, ay, az, 0.f);
}

__global__ void kick_drift(float4* pos, float4* vel, const float4* acc, int n, float dt)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float4 p = pos[i], v = vel[i], a = acc[i];
    v.x += dt * a.x; v.y += dt * a.y; v.z += dt * a.z;
    p.x += dt * v.x; p.y += dt * v.y; p.z += dt * v.z;
    pos[i] = p;
    vel[i] = v;
}

static float frand(unsigned& s)
{
    s = s * 1664525u + 1013904223u;
    return (float)(s >> 8) * (1.0f / 16777216.0f);
}

static void make_cluster(std::vector<float4>& p, std::vector<float4>& v, int n)
{
    unsigned seed = 77u;
    for (int i = 0; i < n; ++i) {
        float r = 0.1f + 2.0f * frand(seed);
        float t = 6.2831853f * frand(seed);
        float z = frand(seed) - 0.5f;
        p[i] = make_float4(r * cosf(t), r * sinf(t), 0.2f * z, 1.0f / n);
        float s = 0.6f / sqrtf(r);
        v[i] = make_float4(-s * sinf(t), s * cosf(t), 0.f, 0.f);
    }
}

int main()
{
    const int n = 2016, steps = 4;
    const float eps2 = 1e-3f, dt = 0.005f;
    std::vector<float4> hp(n), hv(n);
    make_cluster(hp, hv, n);

    float4 *dp, *dv, *da;
    CK(cudaMalloc(&dp, n * sizeof(float4)));
    CK(cudaMalloc(&dv, n * sizeof(float4)));
    CK(cudaMalloc(&da, n * sizeof(float4)));
    CK(cudaMemcpy(dp, hp.data(), n * sizeof(float4), cudaMemcpyHostToDevice));
    CK(cudaMemcpy(dv, hv.data(), n * sizeof(float4), cudaMemcpyHostToDevice));

    const int bs = 128, gs = (n + bs - 1) / bs;
    for (int s = 0; s < steps; ++s) {
        accel_kernel<<<gs, bs>>>(dp, da, n, eps2);
        kick_drift<<<gs, bs>>>(dp, dv, da, n, dt);
        CK(cudaGetLastError());
    }
    CK(cudaMemcpy(hp.data(), dp, n * sizeof(float4), cudaMemcpyDeviceToHost));
    CK(cudaMemcpy(hv.data(), dv, n * sizeof(float4), cudaMemcpyDeviceToHost));

    double ke = 0, cx = 0, cy = 0, cz = 0;
    for (int i = 0; i < n; ++i) {
        ke += 0.5 * hp[i].w * (hv[i].x * hv[i].x + hv[i].y * hv[i].y + hv[i].z * hv[i].z);
        cx += hp[i].w * hp[i].x; cy += hp[i].w * hp[i].y; cz += hp[i].w * hp[i].z;
    }
    printf("bodies %d steps %d  kinetic %.6f  com (%.6f %.6f %.6f)\n", n, steps, ke, cx, cy, cz);
    printf("p[0] = %.5f %.5f %.5f\n", hp[0].x, hp[0].y, hp[0].z);
    CK(cudaFree(dp)); CK(cudaFree(dv)); CK(cudaFree(da));
    return 0;
}
