// Bitonic sort of independent segments in shared memory, keys + values.
#include <cstdio>
#include <vector>
#include <algorithm>
#include <cuda_runtime.h>
typedef unsigned int uint;
#define SEG 512

__device__ inline void Comparator(uint &keyA, uint &valA, uint &keyB, uint &valB, uint dir)
{
    uint t;
    if ((keyA > keyB) == dir) {
        t = keyA; keyA = keyB; keyB = t;
        t = valA; valA = valB; valB = t;
    }
}

__global__ void bitonicSortShared(uint *d_DstKey, uint *d_DstVal, uint *d_SrcKey, uint *d_SrcVal, uint arrayLength, uint dir)
{
    __shared__ uint s_key[SEG];
    __shared__ uint s_val[SEG];

    d_SrcKey += blockIdx.x * SEG + threadIdx.x;
    d_SrcVal += blockIdx.x * SEG + threadIdx.x;
    d_DstKey += blockIdx.x * SEG + threadIdx.x;
    d_DstVal += blockIdx.x * SEG + threadIdx.x;
    s_key[threadIdx.x + 0]         = d_SrcKey[0];
    s_val[threadIdx.x + 0]         = d_SrcVal[0];
    s_key[threadIdx.x + (SEG / 2)] = d_SrcKey[(SEG / 2)];
    s_val[threadIdx.x + (SEG / 2)] = d_SrcVal[(SEG / 2)];

    for (uint size = 2; size < arrayLength; size <<= 1) {
        uint ddd = dir ^ ((threadIdx.x & (size / 2)) != 0);
        for (uint stride = size / 2; stride > 0; stride >>= 1) {
            __syncthreads();
            uint pos = 2 * threadIdx.x - (threadIdx.x & (stride - 1));
            Comparator(s_key[pos + 0], s_val[pos + 0], s_key[pos + stride], s_val[pos + stride], ddd);
        }
    }
    for (uint stride = arrayLength / 2; stride > 0; stride >>= 1) {
        __syncthreads();
        uint pos = 2 * threadIdx.x - (threadIdx.x & (stride - 1));
        Comparator(s_key[pos + 0], s_val[pos + 0], s_key[pos + stride], s_val[pos + stride], dir);
    }
    __syncthreads();
    d_DstKey[0]         = s_key[threadIdx.x + 0];
    d_DstVal[0]         = s_val[threadIdx.x + 0];
    d_DstKey[(SEG / 2)] = s_key[threadIdx.x + (SEG / 2)];
    d_DstVal[(SEG / 2)] = s_val[threadIdx.x + (SEG / 2)];
}

int main()
{
    const int segs = 40, n = segs * SEG;
    std::vector<uint> k(n), v(n), rk(n), rv(n);
    uint s = 1;
    for (int i = 0; i < n; i++) { s ^= s << 13; s ^= s >> 17; s ^= s << 5; k[i] = s % 100000; v[i] = i; }
    uint *d[4];
    for (auto &p : d) cudaMalloc(&p, n * sizeof(uint));
    cudaMemcpy(d[0], k.data(), n * sizeof(uint), cudaMemcpyHostToDevice);
    cudaMemcpy(d[1], v.data(), n * sizeof(uint), cudaMemcpyHostToDevice);
    bitonicSortShared<<<segs, SEG / 2>>>(d[2], d[3], d[0], d[1], SEG, 1);
    cudaMemcpy(rk.data(), d[2], n * sizeof(uint), cudaMemcpyDeviceToHost);
    cudaMemcpy(rv.data(), d[3], n * sizeof(uint), cudaMemcpyDeviceToHost);
    bool ok = cudaGetLastError() == cudaSuccess;
    for (int b = 0; b < segs; b++) {
        std::vector<uint> e(k.begin() + b * SEG, k.begin() + (b + 1) * SEG);
        std::sort(e.begin(), e.end());
        for (int i = 0; i < SEG; i++) {
            int g = b * SEG + i;
            if (rk[g] != e[i] || rv[g] >= (uint)n || k[rv[g]] != rk[g]) ok = false;
        }
    }
    printf("bitonic_shared %s\n", ok ? "PASS" : "FAIL");
    return !ok;
}
