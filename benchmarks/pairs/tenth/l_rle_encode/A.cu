// Run length encoding of a byte plane: flag run heads, scan, scatter, lengths.
#include <cstdio>
#include <cstdlib>
#include <vector>
#include <cuda_runtime.h>
typedef unsigned char u8;

#define TRY(expr) do { cudaError_t r = (expr); if (r) { printf("%s failed: %s\n", #expr, cudaGetErrorString(r)); return 1; } } while (0)

enum { BS = 256 };

__device__ __forceinline__ int isHead(const u8 *x, int i, int n)
{
    return i < n && (i == 0 || x[i] != x[i - 1]);
}

__device__ int blockInclusive(int v, int *s)
{
    int t = threadIdx.x;
    s[t] = v;
    __syncthreads();
    for (int d = 1; d < BS; d <<= 1) {
        int add = t >= d ? s[t - d] : 0;
        __syncthreads();
        s[t] += add;
        __syncthreads();
    }
    return s[t];
}

__global__ void countHeads(const u8 *x, int n, int *blockCount)
{
    __shared__ int s[BS];
    int i = blockIdx.x * BS + threadIdx.x;
    int inc = blockInclusive(isHead(x, i, n), s);
    if (threadIdx.x == BS - 1) blockCount[blockIdx.x] = inc;
}

// one block: exclusive scan in place, total behind the end
__global__ void scanBlocks(int *blockCount, int nb)
{
    __shared__ int s[BS];
    int carry = 0;
    for (int b0 = 0; b0 < nb; b0 += BS) {
        int b = b0 + threadIdx.x;
        int v = b < nb ? blockCount[b] : 0;
        int inc = blockInclusive(v, s);
        if (b < nb) blockCount[b] = carry + inc - v;
        carry += s[BS - 1];
        __syncthreads();
    }
    if (threadIdx.x == 0) blockCount[nb] = carry;
}

__global__ void scatterHeads(const u8 *x, int n, const int *blockOff, u8 *val, int *start)
{
    __shared__ int s[BS];
    int i = blockIdx.x * BS + threadIdx.x;
    int h = isHead(x, i, n);
    int inc = blockInclusive(h, s);
    if (h) {
        int r = blockOff[blockIdx.x] + inc - 1;
        val[r] = x[i];
        start[r] = i;
    }
}

__global__ void runLengths(const int *start, const int *total, int n, int *len)
{
    int runs = *total;
    for (int r = blockIdx.x * blockDim.x + threadIdx.x; r < runs; r += gridDim.x * blockDim.x)
        len[r] = (r + 1 < runs ? start[r + 1] : n) - start[r];
}

int main()
{
    const int n = 250007;
    std::vector<u8> x(n);
    unsigned s = 99;
    for (int i = 0; i < n;) {
        s = s * 69069u + 1u;
        int run = 1 + ((s >> 20) % 13) * ((s >> 9) % 3);
        u8 v = (u8)(s >> 24);
        while (run-- && i < n) x[i++] = v;
    }
    const int nb = (n + BS - 1) / BS;
    u8 *dx, *dval; int *dcount, *dstart, *dlen;
    TRY(cudaMalloc(&dx, n));
    TRY(cudaMalloc(&dval, n));
    TRY(cudaMalloc(&dcount, (nb + 1) * sizeof(int)));
    TRY(cudaMalloc(&dstart, n * sizeof(int)));
    TRY(cudaMalloc(&dlen, n * sizeof(int)));
    TRY(cudaMemcpy(dx, x.data(), n, cudaMemcpyHostToDevice));

    countHeads<<<nb, BS>>>(dx, n, dcount);
    scanBlocks<<<1, BS>>>(dcount, nb);
    scatterHeads<<<nb, BS>>>(dx, n, dcount, dval, dstart);
    runLengths<<<128, BS>>>(dstart, dcount + nb, n, dlen);
    TRY(cudaGetLastError());

    int runs = 0;
    TRY(cudaMemcpy(&runs, dcount + nb, sizeof(int), cudaMemcpyDeviceToHost));
    std::vector<u8> val(runs);
    std::vector<int> len(runs);
    TRY(cudaMemcpy(val.data(), dval, runs, cudaMemcpyDeviceToHost));
    TRY(cudaMemcpy(len.data(), dlen, runs * sizeof(int), cudaMemcpyDeviceToHost));

    long long pos = 0; int bad = 0; unsigned h = 2166136261u;
    for (int r = 0; r < runs; r++) {
        if (pos >= n || x[pos] != val[r]) bad++;
        pos += len[r];
        h = (h ^ (val[r] + 256u * (unsigned)len[r])) * 16777619u;
    }
    printf("%d bytes -> %d runs, covers %lld, bad %d, hash %08x\n", n, runs, pos, bad, h);
    cudaFree(dx); cudaFree(dval); cudaFree(dcount); cudaFree(dstart); cudaFree(dlen);
    return 0;
}
