#include "scan.h"
#include "error.h"

#define SCAN_BLOCK 512

// Each block scans its own SCAN_BLOCK elements and reports their total.
__global__ void scan_blocks(const int *in, int *out, int *totals, int n)
{
    __shared__ int temp[2][SCAN_BLOCK];
    int t = threadIdx.x;
    int i = blockIdx.x * SCAN_BLOCK + t;

    int value = i < n ? in[i] : 0;
    int src = 0;
    temp[0][t] = value;
    __syncthreads();
    for (int d = 1; d < SCAN_BLOCK; d <<= 1) {
        int dst = 1 - src;
        if (t >= d)
            temp[dst][t] = temp[src][t] + temp[src][t - d];
        else
            temp[dst][t] = temp[src][t];
        src = dst;
        __syncthreads();
    }
    if (i < n)
        out[i] = temp[src][t] - value;
    if (t == SCAN_BLOCK - 1)
        totals[blockIdx.x] = temp[src][t];
}

__global__ void add_offsets(int *out, const int *offsets, int n)
{
    int i = blockIdx.x * SCAN_BLOCK + threadIdx.x;
    if (i < n)
        out[i] += offsets[blockIdx.x];
}

void exclusive_scan(const int *in, int *out, int n)
{
    int blocks = (n + SCAN_BLOCK - 1) / SCAN_BLOCK;
    int *totals;
    try_cuda(cudaMalloc(&totals, blocks * sizeof(int)));
    scan_blocks<<<blocks, SCAN_BLOCK>>>(in, out, totals, n);
    try_cuda(cudaGetLastError());

    if (blocks > 1) {
        int *offsets;
        try_cuda(cudaMalloc(&offsets, blocks * sizeof(int)));
        exclusive_scan(totals, offsets, blocks);
        add_offsets<<<blocks, SCAN_BLOCK>>>(out, offsets, n);
        try_cuda(cudaGetLastError());
        try_cuda(cudaFree(offsets));
    }
    try_cuda(cudaFree(totals));
}
