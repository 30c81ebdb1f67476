// Light-probe visibility: from every probe, rays in all directions of a Fibonacci sphere; for each ray the nearest
// sphere of the scene and its distance. Probes may be anywhere, walls seen from inside count as well.
#include <cstdio>
#include <cstdlib>
#include <cmath>
#include <vector>
#include <cuda_runtime.h>

#define CUDA_OK(e) do { cudaError_t r = (e); if (r != cudaSuccess) { fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, cudaGetErrorString(r)); exit(1); } } while (0)

struct Vec { float x, y, z; };
struct Sphere { Vec c; float r; int material; };
struct Hit { float t; int id; };

__host__ __device__ inline Vec sub(Vec a, Vec b) { return {a.x - b.x, a.y - b.y, a.z - b.z}; }
__host__ __device__ inline float dot(Vec a, Vec b) { return a.x * b.x + a.y * b.y + a.z * b.z; }

__device__ Vec probeDir(int i, int n)
{
    float z = 1.f - (2.f * i + 1.f) / n;
    float r = sqrtf(fmaxf(0.f, 1.f - z * z));
    float phi = 2.39996323f * i;
    return {r * cosf(phi), r * sinf(phi), z};
}

// The probe is the same for the whole block: oc and dot(oc,oc)-r*r are computed once per sphere and block and kept
// in shared memory as (oc, c). A thread follows two directions at once.
constexpr int TILE = 128;
__global__ void __launch_bounds__(TILE)
traceProbes(const Sphere* __restrict__ scene, int nSpheres, const Vec* __restrict__ probes, int nProbes, int nDirs, Hit* __restrict__ hits)
{
    __shared__ float4 rel[TILE];
    const int p = blockIdx.y;
    const int d0 = blockIdx.x * (2 * TILE) + threadIdx.x, d1 = d0 + TILE;
    const Vec o = probes[p];
    const Vec dir0 = probeDir(min(d0, nDirs - 1), nDirs), dir1 = probeDir(min(d1, nDirs - 1), nDirs);
    const float eps = 1e-4f;
    Hit best0 = {1e30f, -1}, best1 = {1e30f, -1};

    for (int s0 = 0; s0 < nSpheres; s0 += TILE) {
        int n = min(TILE, nSpheres - s0);
        if (threadIdx.x < n) {
            Sphere sp = scene[s0 + threadIdx.x];
            Vec oc = sub(o, sp.c);
            rel[threadIdx.x] = make_float4(oc.x, oc.y, oc.z, dot(oc, oc) - sp.r * sp.r);
        }
        __syncthreads();
        for (int s = 0; s < n; s++) {
            float4 q = rel[s];
            Vec oc = {q.x, q.y, q.z};
            float b0 = dot(oc, dir0), b1 = dot(oc, dir1);
            float disc0 = b0 * b0 - q.w, disc1 = b1 * b1 - q.w;
            // b > 0: the sphere is behind, no square root needed
            if (disc0 >= 0.f && b0 < 0.f) {
                float r = sqrtf(disc0), t = -b0 - r;
                if (t < eps) t = -b0 + r;
                if (t >= eps && t < best0.t) { best0.t = t; best0.id = s0 + s; }
            }
            if (disc1 >= 0.f && b1 < 0.f) {
                float r = sqrtf(disc1), t = -b1 - r;
                if (t < eps) t = -b1 + r;
                if (t >= eps && t < best1.t) { best1.t = t; best1.id = s0 + s; }
            }
        }
        __syncthreads();
    }
    if (d0 < nDirs) hits[(size_t)p * nDirs + d0] = best0;
    if (d1 < nDirs) hits[(size_t)p * nDirs + d1] = best1;
}

int main()
{
    const int nSpheres = 300, nProbes = 64, nDirs = 1000;
    std::vector<Sphere> scene(nSpheres);
    std::vector<Vec> probes(nProbes);
    unsigned s = 4242;
    auto u = [&]() { s = s * 1664525u + 1013904223u; return (s >> 8) / 16777216.f; };
    for (int i = 0; i < nSpheres; i++) {
        scene[i].c = {u() * 40.f - 20.f, u() * 6.f, u() * 40.f - 20.f};
        scene[i].r = 0.3f + 1.1f * u();
        scene[i].material = i % 9;
    }
    // probes hang above the field of spheres
    for (int i = 0; i < nProbes; i++) probes[i] = {(i % 8) * 5.f - 17.5f, 8.f + u(), (i / 8) * 5.f - 17.5f};

    Sphere* dScene; Vec* dProbes; Hit* dHits;
    CUDA_OK(cudaMalloc(&dScene, nSpheres * sizeof(Sphere)));
    CUDA_OK(cudaMalloc(&dProbes, nProbes * sizeof(Vec)));
    CUDA_OK(cudaMalloc(&dHits, (size_t)nProbes * nDirs * sizeof(Hit)));
    CUDA_OK(cudaMemcpy(dScene, scene.data(), nSpheres * sizeof(Sphere), cudaMemcpyHostToDevice));
    CUDA_OK(cudaMemcpy(dProbes, probes.data(), nProbes * sizeof(Vec), cudaMemcpyHostToDevice));

    dim3 grid((nDirs + 2 * TILE - 1) / (2 * TILE), nProbes);
    traceProbes<<<grid, TILE>>>(dScene, nSpheres, dProbes, nProbes, nDirs, dHits);
    CUDA_OK(cudaGetLastError());
    std::vector<Hit> hits((size_t)nProbes * nDirs);
    CUDA_OK(cudaMemcpy(hits.data(), dHits, hits.size() * sizeof(Hit), cudaMemcpyDeviceToHost));

    std::vector<int> perMat(9, 0);
    double depth = 0; int n = 0;
    for (const Hit& h : hits) if (h.id >= 0) { depth += h.t; n++; perMat[scene[h.id].material]++; }
    printf("%d of %zu rays hit, mean distance %.4f\n", n, hits.size(), depth / n);
    for (int m = 0; m < 9; m++) printf("material %d: %d\n", m, perMat[m]);
    cudaFree(dScene); cudaFree(dProbes); cudaFree(dHits);
    return 0;
}
