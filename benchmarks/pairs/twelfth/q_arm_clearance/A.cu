// Planar-base robot arm: minimum clearance between the arm (capsule links) and spherical obstacles
// for a batch of joint configurations (as a sampling planner asks for them).
#include <cuda_runtime.h>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

#define CU(call)                                                                 \
    do {                                                                         \
        cudaError_t e = call;                                                    \
        if (e != cudaSuccess) {                                                  \
            std::fprintf(stderr, "[%d] %s\n", __LINE__, cudaGetErrorString(e));  \
            std::exit(1);                                                        \
        }                                                                        \
    } while (0)

constexpr int JOINTS = 4;

struct Link { float len, radius; };
__constant__ Link c_link[JOINTS];

struct Config { float q[JOINTS]; float lift; };

struct V3 { float x, y, z; };
__host__ __device__ inline V3 operator-(V3 a, V3 b) { return {a.x - b.x, a.y - b.y, a.z - b.z}; }
__host__ __device__ inline V3 operator+(V3 a, V3 b) { return {a.x + b.x, a.y + b.y, a.z + b.z}; }
__host__ __device__ inline V3 operator*(float s, V3 a) { return {s * a.x, s * a.y, s * a.z}; }
__host__ __device__ inline float dot(V3 a, V3 b) { return a.x * b.x + a.y * b.y + a.z * b.z; }

// q[0] turns the base about z, the others pitch the following links
__device__ void forward(const Config& c, V3* p)
{
    float cy = cosf(c.q[0]), sy = sinf(c.q[0]);
    p[0] = {0.f, 0.f, c.lift};
    float pitch = 0.f;
    for (int j = 0; j < JOINTS; ++j) {
        if (j > 0) pitch += c.q[j];
        float r = c_link[j].len * cosf(pitch), z = c_link[j].len * sinf(pitch);
        p[j + 1] = p[j] + V3{r * cy, r * sy, z};
    }
}

__global__ void clearance(const Config* cfg, int nCfg, const float4* obst, int nObst, float* out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= nCfg) return;
    V3 p[JOINTS + 1];
    forward(cfg[i], p);
    float best = 1e30f;
    for (int o = 0; o < nObst; ++o) {
        V3 c = {obst[o].x, obst[o].y, obst[o].z};
        for (int j = 0; j < JOINTS; ++j) {
            V3 d = p[j + 1] - p[j];
            float t = dot(c - p[j], d) / dot(d, d);
            t = fminf(fmaxf(t, 0.f), 1.f);
            V3 e = c - (p[j] + t * d);
            float gap = sqrtf(dot(e, e)) - obst[o].w - c_link[j].radius;
            best = fminf(best, gap);
        }
    }
    out[i] = best;
}

int main()
{
    const int nCfg = 6000, nObst = 150;
    Link links[JOINTS] = {{0.45f, 0.08f}, {0.40f, 0.07f}, {0.35f, 0.05f}, {0.15f, 0.04f}};
    CU(cudaMemcpyToSymbol(c_link, links, sizeof links));

    std::vector<Config> cfg(nCfg);
    for (int i = 0; i < nCfg; ++i) {
        for (int j = 0; j < JOINTS; ++j) cfg[i].q[j] = 2.6f * std::sin(0.37f * i * (j + 1) + j);
        cfg[i].lift = 0.3f + 0.1f * std::cos(0.011f * i);
    }
    std::vector<float4> obst(nObst);
    for (int o = 0; o < nObst; ++o) {
        float a = 2.399963f * o, r = 0.4f + 1.3f * (o % 29) / 29.f;
        obst[o] = make_float4(r * std::cos(a), r * std::sin(a), 1.6f * (o % 17) / 17.f - 0.2f, 0.02f + 0.01f * (o % 5));
    }

    Config* dCfg; float4* dObst; float* dOut;
    CU(cudaMalloc(&dCfg, nCfg * sizeof(Config)));
    CU(cudaMalloc(&dObst, nObst * sizeof(float4)));
    CU(cudaMalloc(&dOut, nCfg * sizeof(float)));
    CU(cudaMemcpy(dCfg, cfg.data(), nCfg * sizeof(Config), cudaMemcpyHostToDevice));
    CU(cudaMemcpy(dObst, obst.data(), nObst * sizeof(float4), cudaMemcpyHostToDevice));

    clearance<<<(nCfg + 127) / 128, 128>>>(dCfg, nCfg, dObst, nObst, dOut);
    CU(cudaGetLastError());

    std::vector<float> out(nCfg);
    CU(cudaMemcpy(out.data(), dOut, nCfg * sizeof(float), cudaMemcpyDeviceToHost));
    double sum = 0; float lo = 1e30f, hi = -1e30f;
    for (float v : out) { sum += v; lo = std::fmin(lo, v); hi = std::fmax(hi, v); }
    std::printf("clearance: mean %.6f min %.6f max %.6f\n", sum / nCfg, lo, hi);
    for (int i = 0; i < nCfg; i += 1500) std::printf("  cfg %d: %.6f\n", i, out[i]);
    CU(cudaFree(dCfg)); CU(cudaFree(dObst)); CU(cudaFree(dOut));
}
