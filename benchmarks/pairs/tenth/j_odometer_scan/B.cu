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

// exclusive block scan of one value a thread (shuffles + one shared array); total returned in *total
__device__ int blockScan(int v, int *total)
{
    __shared__ int w[THREADS / 32];
    const int lane = threadIdx.x & 31, wid = threadIdx.x >> 5;
    int x = v;
#pragma unroll
    for (int d = 1; d < 32; d *= 2) {
        int a = __shfl_up_sync(0xffffffffu, x, d);
        if (lane >= d) x += a;
    }
    if (lane == 31) w[wid] = x;
    __syncthreads();
    int before = 0, all = 0;
#pragma unroll
    for (int k = 0; k < THREADS / 32; k++) {
        if (k < wid) before += w[k];
        all += w[k];
    }
    *total = all;
    return before + x - v;
}

// Single pass ("chained scan"): every block waits for the running total of the block before it,
// so the increments are read once and the positions written once, with no intermediate array.
__global__ void __launch_bounds__(THREADS)
chainedScan(const int16_t *__restrict__ inc, int n, int64_t *__restrict__ pos,
            volatile int64_t *running, volatile int *ready, int64_t start)
{
    __shared__ int64_t sBase;
    const int base = blockIdx.x * PER_BLOCK + threadIdx.x * PER_THREAD;
    int v[PER_THREAD], sum = 0, total;
#pragma unroll
    for (int k = 0; k < PER_THREAD; k++) {
        v[k] = base + k < n ? inc[base + k] : 0;
        sum += v[k];
    }
    const int run = blockScan(sum, &total);

    if (threadIdx.x == 0) {
        int64_t b = start;
        if (blockIdx.x > 0) {
            while (ready[blockIdx.x - 1] == 0) { }
            b = running[blockIdx.x - 1];
        }
        running[blockIdx.x] = b + total;
        ready[blockIdx.x] = 1;
        sBase = b;
    }
    __syncthreads();

    int64_t p = sBase + run;
#pragma unroll
    for (int k = 0; k < PER_THREAD; k++) {
        p += v[k];
        if (base + k < n) pos[base + k] = p;
    }
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

    int16_t *dInc; int *dReady; int64_t *dRunning, *dPos;
    C(cudaMalloc(&dInc, n * sizeof(int16_t)));
    C(cudaMalloc(&dReady, nb * sizeof(int)));
    C(cudaMalloc(&dRunning, nb * sizeof(int64_t)));
    C(cudaMalloc(&dPos, n * sizeof(int64_t)));
    C(cudaMemcpy(dInc, inc.data(), n * sizeof(int16_t), cudaMemcpyHostToDevice));
    C(cudaMemset(dReady, 0, nb * sizeof(int)));

    chainedScan<<<nb, THREADS>>>(dInc, n, dPos, dRunning, dReady, start);
    C(cudaGetLastError());

    std::vector<int64_t> pos(n);
    C(cudaMemcpy(pos.data(), dPos, n * sizeof(int64_t), cudaMemcpyDeviceToHost));
    uint64_t h = 0;
    for (int i = 0; i < n; i++) h = h * 1000003u + (uint64_t)pos[i];
    printf("first %lld middle %lld last %lld hash %016llx\n", (long long)pos[0], (long long)pos[n / 2],
           (long long)pos[n - 1], (unsigned long long)h);
    cudaFree(dInc); cudaFree(dReady); cudaFree(dRunning); cudaFree(dPos);
    return 0;
}
