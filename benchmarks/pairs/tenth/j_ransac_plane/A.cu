// Ground plane from a depth-camera point cloud with RANSAC: count the inliers of many plane hypotheses.
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstdint>
#include <vector>
#include <cuda_runtime.h>

namespace {
void must(cudaError_t e) { if (e != cudaSuccess) { std::fprintf(stderr, "cuda: %s\n", cudaGetErrorString(e)); std::exit(1); } }
}

// plane n.p + d = 0 through three points; degenerate triples give a plane that nothing is near to
__device__ float4 planeOf(float3 a, float3 b, float3 c)
{
    float ux = b.x - a.x, uy = b.y - a.y, uz = b.z - a.z;
    float vx = c.x - a.x, vy = c.y - a.y, vz = c.z - a.z;
    float nx = fmaf(uy, vz, -__fmul_rn(uz, vy));
    float ny = fmaf(uz, vx, -__fmul_rn(ux, vz));
    float nz = fmaf(ux, vy, -__fmul_rn(uy, vx));
    float len2 = fmaf(nx, nx, fmaf(ny, ny, __fmul_rn(nz, nz)));
    if (!(len2 > 1e-10f)) return make_float4(0.f, 0.f, 0.f, 1e30f);
    float inv = 1.0f / sqrtf(len2);
    nx = __fmul_rn(nx, inv);
    ny = __fmul_rn(ny, inv);
    nz = __fmul_rn(nz, inv);
    return make_float4(nx, ny, nz, -fmaf(nx, a.x, fmaf(ny, a.y, __fmul_rn(nz, a.z))));
}

__device__ bool nearPlane(float4 p, float3 q, float tol)
{
    return fabsf(fmaf(p.x, q.x, fmaf(p.y, q.y, fmaf(p.z, q.z, p.w)))) < tol;
}

__global__ void score(const float3 *pts, int nPts, const int3 *triples, int nHyp, float tol, float4 *planes, int *inliers)
{
    int h = blockIdx.x * blockDim.x + threadIdx.x;
    if (h >= nHyp) return;
    int3 t = triples[h];
    float4 p = planeOf(pts[t.x], pts[t.y], pts[t.z]);
    int n = 0;
    for (int i = 0; i < nPts; i++)
        if (nearPlane(p, pts[i], tol)) n++;
    planes[h] = p;
    inliers[h] = n;
}

int main()
{
    const int nPts = 9000, nHyp = 1500;
    const float tol = 0.02f;
    uint64_t s = 88172645463325252ull;
    auto rnd = [&]() { s ^= s << 13; s ^= s >> 7; s ^= s << 17; return (float)((s >> 40) / 16777216.0); };

    std::vector<float3> pts(nPts);
    for (auto &p : pts) {
        float x = 6.f * rnd() - 3.f, z = 1.f + 7.f * rnd();
        if (rnd() < 0.6f) p = make_float3(x, -1.1f + 0.05f * x + 0.03f * z + 0.015f * (rnd() - 0.5f), z);   // floor
        else p = make_float3(x, -1.1f + 2.f * rnd(), z);                                                     // clutter
    }
    std::vector<int3> tri(nHyp);
    for (auto &t : tri) t = make_int3((int)(rnd() * nPts) % nPts, (int)(rnd() * nPts) % nPts, (int)(rnd() * nPts) % nPts);
    tri[7].y = tri[7].x;    // a degenerate one

    float3 *dPts; int3 *dTri; float4 *dPlanes; int *dInl;
    must(cudaMalloc(&dPts, nPts * sizeof(float3)));
    must(cudaMalloc(&dTri, nHyp * sizeof(int3)));
    must(cudaMalloc(&dPlanes, nHyp * sizeof(float4)));
    must(cudaMalloc(&dInl, nHyp * sizeof(int)));
    must(cudaMemcpy(dPts, pts.data(), nPts * sizeof(float3), cudaMemcpyHostToDevice));
    must(cudaMemcpy(dTri, tri.data(), nHyp * sizeof(int3), cudaMemcpyHostToDevice));

    score<<<(nHyp + 63) / 64, 64>>>(dPts, nPts, dTri, nHyp, tol, dPlanes, dInl);
    must(cudaGetLastError());

    std::vector<float4> planes(nHyp);
    std::vector<int> inl(nHyp);
    must(cudaMemcpy(planes.data(), dPlanes, nHyp * sizeof(float4), cudaMemcpyDeviceToHost));
    must(cudaMemcpy(inl.data(), dInl, nHyp * sizeof(int), cudaMemcpyDeviceToHost));
    int best = 0; long sum = 0;
    for (int h = 0; h < nHyp; h++) { sum += inl[h]; if (inl[h] > inl[best]) best = h; }
    std::printf("best %d: %d of %d inliers, normal %.5f %.5f %.5f d %.5f, all %ld, degenerate %d\n", best, inl[best], nPts,
                planes[best].x, planes[best].y, planes[best].z, planes[best].w, sum, inl[7]);
    cudaFree(dPts); cudaFree(dTri); cudaFree(dPlanes); cudaFree(dInl);
    return 0;
}
