// For every query point the nearest reference point (ties: lowest index).
// Distance bits and index are packed into 64 bits so that atomicMin settles both.
#include <cstdio>
#include <cstdlib>
#include <vector>
#include <cstring>
#include <cuda_runtime.h>

typedef unsigned long long u64;

#define cudaOK(e) do { if ((e) != cudaSuccess) { fprintf(stderr, "CUDA failure line %d: %s\n", __LINE__, cudaGetErrorString(cudaGetLastError())); exit(1); } } while (0)

__device__ __forceinline__ float dist2(float ax, float ay, float az, float bx, float by, float bz)
{
    float dx = ax - bx, dy = ay - by, dz = az - bz;
    return fmaf(dz, dz, fmaf(dy, dy, __fmul_rn(dx, dx)));
}

__global__ void nearest(const float* qx, const float* qy, const float* qz, int nq,
                        const float* rx, const float* ry, const float* rz, int nr, u64* best)
{
    int r = blockIdx.x * blockDim.x + threadIdx.x;
    int q = blockIdx.y * blockDim.y + threadIdx.y;
    if (r >= nr || q >= nq) return;
    float d = dist2(qx[q], qy[q], qz[q], rx[r], ry[r], rz[r]);
    u64 packed = ((u64)__float_as_uint(d) << 32) | (unsigned)r;
    atomicMin(&best[q], packed);
}

int main()
{
    const int nq = 250, nr = 1100;
    std::vector<float> q(3 * nq), r(3 * nr);
    unsigned s = 31337;
    for (float& v : q) { s = s * 69069u + 1u; v = (float)((s >> 16) & 63) * 0.25f; }
    for (float& v : r) { s = s * 69069u + 1u; v = (float)((s >> 16) & 63) * 0.25f; }   // lattice: many ties
    float *dq, *dr; u64* db;
    cudaOK(cudaMalloc(&dq, q.size() * 4));
    cudaOK(cudaMalloc(&dr, r.size() * 4));
    cudaOK(cudaMalloc(&db, nq * sizeof(u64)));
    cudaOK(cudaMemcpy(dq, q.data(), q.size() * 4, cudaMemcpyHostToDevice));
    cudaOK(cudaMemcpy(dr, r.data(), r.size() * 4, cudaMemcpyHostToDevice));
    cudaOK(cudaMemset(db, 0xff, nq * sizeof(u64)));

    dim3 block(64, 4), grid((nr + 63) / 64, (nq + 3) / 4);
    nearest<<<grid, block>>>(dq, dq + nq, dq + 2 * nq, nq, dr, dr + nr, dr + 2 * nr, nr, db);
    cudaOK(cudaGetLastError());

    std::vector<u64> best(nq);
    cudaOK(cudaMemcpy(best.data(), db, nq * sizeof(u64), cudaMemcpyDeviceToHost));
    double sum = 0; long isum = 0;
    for (int i = 0; i < nq; i++) {
        unsigned bits = (unsigned)(best[i] >> 32);
        float d; memcpy(&d, &bits, 4);
        sum += d; isum += (long)(best[i] & 0xffffffffu);
        if (i % 50 == 0) printf("query %3d -> ref %4u d2 %.4f\n", i, (unsigned)best[i], d);
    }
    printf("sum d2 %.4f  index sum %ld\n", sum, isum);
    cudaFree(dq); cudaFree(dr); cudaFree(db);
    return 0;
}
