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

__global__ void traceProbes(const Sphere* scene, int nSpheres, const Vec* probes, int nProbes, int nDirs, Hit* hits)
{
    int d = blockIdx.x * blockDim.x + threadIdx.x;
    int p = blockIdx.y;
    if (d >= nDirs || p >= nProbes) return;
    Vec o = probes[p], dir = probeDir(d, nDirs);
    const float eps = 1e-4f;
    Hit best = {1e30f, -1};
    for (int s = 0; s < nSpheres; s++) {
        Vec oc = sub(o, scene[s].c);
        float b = dot(oc, dir);
        float c = dot(oc, oc) - scene[s].r * scene[s].r;
        float disc = b * b - c;
        if (disc < 0.f) continue;
        float q = sqrtf(disc);
        float t = -b - q;
        if (t < eps) t = -b + q;
        if (t >= eps && t < best.t) { best.t = t; best.id = s; }
    }
    hits[(size_t)p * nDirs + d] = best;
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

    dim3 grid((nDirs + 127) / 128, nProbes);
    traceProbes<<<grid, 128>>>(dScene, nSpheres, dProbes, nProbes, nDirs, dHits);
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
