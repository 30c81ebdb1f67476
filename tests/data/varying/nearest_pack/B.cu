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

constexpr int QPB = 8;            // queries per block, one warp each
constexpr int RTILE = 256;        // references per block, staged in shared memory

__global__ void __launch_bounds__(32 * QPB)
nearest(const float* __restrict__ qx, const float* __restrict__ qy, const float* __restrict__ qz, int nq,
        const float* __restrict__ rx, const float* __restrict__ ry, const float* __restrict__ rz, int nr,
        u64* __restrict__ best)
{
    __shared__ float sx[RTILE], sy[RTILE], sz[RTILE];
    const int base = blockIdx.x * RTILE;
    const int m = min(RTILE, nr - base);
    const int tid = threadIdx.y * 32 + threadIdx.x;
    for (int k = tid; k < m; k += 32 * QPB) {
        sx[k] = rx[base + k];
        sy[k] = ry[base + k];
        sz[k] = rz[base + k];
    }
    __syncthreads();

    const int q = blockIdx.y * QPB + threadIdx.y;
    if (q >= nq) return;                          // whole warps leave, no barrier follows
    const float ax = qx[q], ay = qy[q], az = qz[q];
    u64 mine = ~0ull;
#pragma unroll 4
    for (int k = threadIdx.x; k < m; k += 32) {
        const float d = dist2(ax, ay, az, sx[k], sy[k], sz[k]);
        const u64 p = ((u64)__float_as_uint(d) << 32) | (unsigned)(base + k);
        mine = p < mine ? p : mine;
    }
#pragma unroll
    for (int o = 16; o > 0; o >>= 1) {
        const u64 other = __shfl_xor_sync(0xffffffffu, mine, o);
        mine = other < mine ? other : mine;
    }
    if (threadIdx.x == 0) atomicMin(&best[q], mine);
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

    dim3 block(32, QPB), grid((nr + RTILE - 1) / RTILE, (nq + QPB - 1) / QPB);
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
