/* Estimate pi with a per-thread LCG; the counts are exact so the host repeats them bit for bit. */
#include <stdio.h>
#include <stdlib.h>
#include <cuda_runtime.h>

#define A 6364136223846793005ULL
#define C 1442695040888963407ULL
#define NTHREADS 256
#define NBLOCKS 37
#define SAMPLES 64

__host__ __device__ static inline unsigned int lcg_next(unsigned long long *state)
{
    *state = *state * A + C;
    return (unsigned int)(*state >> 33);     /* 31 bits */
}

__host__ __device__ static int throw_darts(unsigned long long *st, int n)
{
    int hits = 0;
    for (int s = 0; s < n; s++) {
        unsigned long long x = lcg_next(st) >> 1, y = lcg_next(st) >> 1;   /* 30 bits */
        if (x * x + y * y <= (1ULL << 60)) hits++;
    }
    return hits;
}

__global__ void init_rng(unsigned long long *states, unsigned long long seed)
{
    int id = threadIdx.x + blockIdx.x * blockDim.x;
    states[id] = seed ^ ((unsigned long long)id * 0x9E3779B97F4A7C15ULL);
}

__global__ void estimate(unsigned long long *states, int *perThread, unsigned long long *total)
{
    __shared__ int cnt[NTHREADS];
    int id = threadIdx.x + blockIdx.x * blockDim.x;
    unsigned long long local = states[id];
    int h = throw_darts(&local, SAMPLES);
    states[id] = local;
    perThread[id] = h;
    cnt[threadIdx.x] = h;

    for (int half = NTHREADS / 2; half > 0; half /= 2) {
        __syncthreads();
        if (threadIdx.x < half) cnt[threadIdx.x] += cnt[threadIdx.x + half];
    }
    if (threadIdx.x == 0) atomicAdd(total, (unsigned long long)cnt[0]);
}

int main(void)
{
    const int n = NTHREADS * NBLOCKS;
    unsigned long long *st, *tot, htot = 0, rtot = 0;
    int *pt, bad = 0;
    int *hpt = (int *)malloc(n * sizeof(int));
    cudaMalloc((void **)&st, n * sizeof *st);
    cudaMalloc((void **)&tot, sizeof *tot);
    cudaMalloc((void **)&pt, n * sizeof *pt);
    cudaMemset(tot, 0, sizeof *tot);
    init_rng<<<NBLOCKS, NTHREADS>>>(st, 0xDEADBEEFULL);
    estimate<<<NBLOCKS, NTHREADS>>>(st, pt, tot);
    estimate<<<NBLOCKS, NTHREADS>>>(st, pt, tot);
    cudaMemcpy(&htot, tot, sizeof htot, cudaMemcpyDeviceToHost);
    cudaMemcpy(hpt, pt, n * sizeof(int), cudaMemcpyDeviceToHost);
    for (int i = 0; i < n; i++) {
        unsigned long long s = 0xDEADBEEFULL ^ ((unsigned long long)i * 0x9E3779B97F4A7C15ULL);
        rtot += throw_darts(&s, SAMPLES);
        int second = throw_darts(&s, SAMPLES);
        rtot += second;
        if (second != hpt[i]) bad++;
    }
    double pi = 4.0 * (double)htot / (2.0 * n * SAMPLES);
    if (cudaGetLastError() != cudaSuccess || htot != rtot || pi < 3.0 || pi > 3.3) bad++;
    printf("monte_carlo_pi %s\n", bad ? "FAIL" : "PASS");
    return bad != 0;
}
