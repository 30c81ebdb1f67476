// Work efficient exclusive scan (Blelloch). Two variants: plain and with padding against bank conflicts.
#include <cstdio>
#include <vector>
#include <cuda_runtime.h>

#define LOG_NUM_BANKS 5
#define CONFLICT_FREE_OFFSET(n) ((n) >> LOG_NUM_BANKS)

__global__ void prescan(float *g_odata, const float *g_idata, int n)
{
    extern __shared__ float temp[];
    int thid = threadIdx.x;
    int base = blockIdx.x * n;
    int offset = 1;
    temp[2*thid]   = g_idata[base + 2*thid];
    temp[2*thid+1] = g_idata[base + 2*thid+1];

    for (int d = n>>1; d > 0; d >>= 1) {
        __syncthreads();
        if (thid < d) {
            int ai = offset*(2*thid+1)-1;
            int bi = offset*(2*thid+2)-1;
            temp[bi] += temp[ai];
        }
        offset *= 2;
    }
    if (thid == 0) { temp[n - 1] = 0; }
    for (int d = 1; d < n; d *= 2) {
        offset >>= 1;
        __syncthreads();
        if (thid < d) {
            int ai = offset*(2*thid+1)-1;
            int bi = offset*(2*thid+2)-1;
            float t = temp[ai];
            temp[ai] = temp[bi];
            temp[bi] += t;
        }
    }
    __syncthreads();
    g_odata[base + 2*thid]   = temp[2*thid];
    g_odata[base + 2*thid+1] = temp[2*thid+1];
}

__global__ void prescan_padded(float *g_odata, const float *g_idata, int n)
{
    extern __shared__ float temp[];
    int thid = threadIdx.x, base = blockIdx.x * n, offset = 1;
    int ai = thid, bi = thid + n/2;
    int offA = CONFLICT_FREE_OFFSET(ai), offB = CONFLICT_FREE_OFFSET(bi);
    temp[ai + offA] = g_idata[base + ai];
    temp[bi + offB] = g_idata[base + bi];
    for (int d = n>>1; d > 0; d >>= 1, offset <<= 1) {
        __syncthreads();
        if (thid < d) {
            int a = offset*(2*thid+1)-1, b = offset*(2*thid+2)-1;
            a += CONFLICT_FREE_OFFSET(a);
            b += CONFLICT_FREE_OFFSET(b);
            temp[b] += temp[a];
        }
    }
    if (thid == 0) temp[n - 1 + CONFLICT_FREE_OFFSET(n - 1)] = 0;
    for (int d = 1; d < n; d *= 2) {
        offset >>= 1;
        __syncthreads();
        if (thid < d) {
            int a = offset*(2*thid+1)-1, b = offset*(2*thid+2)-1;
            a += CONFLICT_FREE_OFFSET(a);
            b += CONFLICT_FREE_OFFSET(b);
            float t = temp[a];
            temp[a] = temp[b];
            temp[b] += t;
        }
    }
    __syncthreads();
    g_odata[base + ai] = temp[ai + offA];
    g_odata[base + bi] = temp[bi + offB];
}

int main()
{
    const int n = 512, rows = 60;
    std::vector<float> in(n*rows), o1(n*rows), o2(n*rows);
    for (int i = 0; i < n*rows; ++i) in[i] = float((i*7 + i/13) % 9);   // small ints: exact
    float *di, *da, *db;
    cudaMalloc(&di, in.size()*4); cudaMalloc(&da, in.size()*4); cudaMalloc(&db, in.size()*4);
    cudaMemcpy(di, in.data(), in.size()*4, cudaMemcpyHostToDevice);
    prescan<<<rows, n/2, n*sizeof(float)>>>(da, di, n);
    prescan_padded<<<rows, n/2, (n + n/32)*sizeof(float)>>>(db, di, n);
    cudaMemcpy(o1.data(), da, in.size()*4, cudaMemcpyDeviceToHost);
    cudaMemcpy(o2.data(), db, in.size()*4, cudaMemcpyDeviceToHost);
    bool ok = cudaGetLastError() == cudaSuccess;
    for (int r = 0; r < rows; ++r) {
        float acc = 0;
        for (int i = 0; i < n; ++i) {
            if (o1[r*n+i] != acc || o2[r*n+i] != acc) ok = false;
            acc += in[r*n+i];
        }
    }
    puts(ok ? "scan_blelloch PASS" : "scan_blelloch FAIL");
    return !ok;
}
