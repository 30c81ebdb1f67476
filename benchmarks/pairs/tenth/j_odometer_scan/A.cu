// Wheel odometry log: int16 encoder increments -> absolute 64-bit tick positions (inclusive prefix sum).
#include <cuda_runtime.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <vector>

#define THREADS 256
#define PER_THREAD 4
#define PER_BLOCK (THREADS * PER_THREAD)

void die(cudaError_t e, int line) { if (e != cudaSuccess) { printf("line %d: %s\n", line, cudaGetErrorString(e)); exit(1); } }
#define C(x) die((x), __LINE__)

// exclusive block scan of one value a thread; total returned in *total
__device__ int blockScan(int v, int *total)
{
    __shared__ int s[THREADS];
    int t = threadIdx.x;
    s[t] = v;
    __syncthreads();
    for (int d = 1; d < THREADS; d *= 2) {
        int a = t >= d ? s[t - d] : 0;
        __syncthreads();
        s[t] += a;
        __syncthreads();
    }
    *total = s[THREADS - 1];
    return s[t] - v;
}

__global__ void localScan(const int16_t *inc, int n, int *local, int *blockSum)
{
    int base = blockIdx.x * PER_BLOCK + threadIdx.x * PER_THREAD;
    int v[PER_THREAD], sum = 0, total;
    for (int k = 0; k < PER_THREAD; k++) {
        v[k] = base + k < n ? inc[base + k] : 0;
        sum += v[k];
    }
    int run = blockScan(sum, &total);
    for (int k = 0; k < PER_THREAD; k++) {
        run += v[k];
        if (base + k < n) local[base + k] = run;
    }
    if (threadIdx.x == 0) blockSum[blockIdx.x] = total;
}

__global__ void scanBlocks(const int *blockSum, int64_t *blockBase, int nb, int64_t start)
{
    int64_t acc = start;
    for (int b = 0; b < nb; b++) {
        blockBase[b] = acc;
        acc += blockSum[b];
    }
}

__global__ void addBase(const int *local, const int64_t *blockBase, int64_t *pos, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) pos[i] = blockBase[i / PER_BLOCK] + local[i];
}

int main(void)
{
    const int n = 700001;
    const int64_t start = 123456789012LL;
    std::vector<int16_t> inc(n);
    uint32_t s = 2024;
    for (int i = 0; i < n; i++) {
        s = s * 1664525u + 1013904223u;
        inc[i] = (int16_t)(900 + (int)(s >> 24) - ((i / 50000) % 3 == 2 ? 1500 : 0));
    }
    const int nb = (n + PER_BLOCK - 1) / PER_BLOCK;

    int16_t *dInc; int *dLocal, *dSum; int64_t *dBase, *dPos;
    C(cudaMalloc(&dInc, n * sizeof(int16_t)));
    C(cudaMalloc(&dLocal, n * sizeof(int)));
    C(cudaMalloc(&dSum, nb * sizeof(int)));
    C(cudaMalloc(&dBase, nb * sizeof(int64_t)));
    C(cudaMalloc(&dPos, n * sizeof(int64_t)));
    C(cudaMemcpy(dInc, inc.data(), n * sizeof(int16_t), cudaMemcpyHostToDevice));

    localScan<<<nb, THREADS>>>(dInc, n, dLocal, dSum);
    C(cudaGetLastError());
    scanBlocks<<<1, 1>>>(dSum, dBase, nb, start);
    C(cudaGetLastError());
    addBase<<<(n + 255) / 256, 256>>>(dLocal, dBase, dPos, n);
    C(cudaGetLastError());

    std::vector<int64_t> pos(n);
    C(cudaMemcpy(pos.data(), dPos, n * sizeof(int64_t), cudaMemcpyDeviceToHost));
    uint64_t h = 0;
    for (int i = 0; i < n; i++) h = h * 1000003u + (uint64_t)pos[i];
    printf("first %lld middle %lld last %lld hash %016llx\n", (long long)pos[0], (long long)pos[n / 2],
           (long long)pos[n - 1], (unsigned long long)h);
    cudaFree(dInc); cudaFree(dLocal); cudaFree(dSum); cudaFree(dBase); cudaFree(dPos);
    return 0;
}
