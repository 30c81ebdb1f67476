// Sum reduction following the well-known "optimizing parallel reduction" steps.
#include <iostream>
#include <vector>
#include <cuda_runtime.h>
using namespace std;

__global__ void reduce0(int *g_idata, int *g_odata, unsigned int n) {
    extern __shared__ int sdata[];
    unsigned int tid = threadIdx.x;
    unsigned int i = blockIdx.x * blockDim.x + threadIdx.x;
    sdata[tid] = (i < n) ? g_idata[i] : 0;
    __syncthreads();
    // interleaved addressing with bank conflicts
    for (unsigned int s = 1; s < blockDim.x; s *= 2) {
        int index = 2 * s * tid;
        if (index < blockDim.x) {
            sdata[index] += sdata[index + s];
        }
        __syncthreads();
    }
    if (tid == 0) g_odata[blockIdx.x] = sdata[0];
}

__global__ void reduce1(int *g_idata, int *g_odata, unsigned int n) {
    extern __shared__ int sdata[];
    unsigned int tid = threadIdx.x;
    unsigned int i = blockIdx.x * (blockDim.x * 2) + threadIdx.x;
    int mySum = (i < n) ? g_idata[i] : 0;
    if (i + blockDim.x < n) mySum += g_idata[i + blockDim.x];
    sdata[tid] = mySum;
    __syncthreads();
    for (unsigned int s = blockDim.x / 2; s > 0; s >>= 1) {
        if (tid < s) sdata[tid] = mySum = mySum + sdata[tid + s];
        __syncthreads();
    }
    if (tid == 0) g_odata[blockIdx.x] = mySum;
}

template <unsigned int blockSize>
__global__ void reduce2(const int *g_idata, int *g_odata, unsigned int n) {
    __shared__ int warpSums[32];
    int sum = 0;
    for (unsigned int i = blockIdx.x * blockSize + threadIdx.x; i < n; i += blockSize * gridDim.x)
        sum += g_idata[i];
    for (int off = 16; off > 0; off >>= 1)
        sum += __shfl_down_sync(0xffffffffu, sum, off);
    int lane = threadIdx.x & 31, wid = threadIdx.x >> 5;
    if (lane == 0) warpSums[wid] = sum;
    __syncthreads();
    if (wid == 0) {
        sum = (lane < blockSize / 32) ? warpSums[lane] : 0;
        for (int off = 16; off > 0; off >>= 1)
            sum += __shfl_down_sync(0xffffffffu, sum, off);
        if (lane == 0) g_odata[blockIdx.x] = sum;
    }
}

int main() {
    const unsigned n = 70001;
    vector<int> h(n);
    long long expect = 0;
    for (unsigned i = 0; i < n; i++) { h[i] = int((i * 2654435761u) >> 25) - 40; expect += h[i]; }
    int *d, *o;
    cudaMalloc(&d, n * sizeof(int));
    cudaMalloc(&o, 1024 * sizeof(int));
    cudaMemcpy(d, h.data(), n * sizeof(int), cudaMemcpyHostToDevice);
    bool ok = true;
    for (int variant = 0; variant < 3; variant++) {
        int blocks = 0;
        if (variant == 0) { blocks = (n + 127) / 128; reduce0<<<blocks, 128, 128 * sizeof(int)>>>(d, o, n); }
        if (variant == 1) { blocks = (n + 511) / 512; reduce1<<<blocks, 256, 256 * sizeof(int)>>>(d, o, n); }
        if (variant == 2) { blocks = 24; reduce2<512><<<blocks, 512>>>(d, o, n); }
        vector<int> part(blocks);
        cudaMemcpy(part.data(), o, blocks * sizeof(int), cudaMemcpyDeviceToHost);
        long long got = 0;
        for (int x : part) got += x;
        if (got != expect) { cerr << "variant " << variant << ": " << got << " vs " << expect << endl; ok = false; }
    }
    if (cudaGetLastError() != cudaSuccess) ok = false;
    cout << "reduce_stages " << (ok ? "PASS" : "FAIL") << endl;
    return ok ? 0 : 1;
}
