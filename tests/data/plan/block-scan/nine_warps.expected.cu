// kernel=pack line=14 finding=KO119
#include <cstdio>

#define THREADS 288

// packs the non-zero elements of each tile to its start
__global__ void pack(const float *in, float *out, int *counts, int n)
{
    __shared__ int place[THREADS / 32];
    int t = threadIdx.x;
    int i = blockIdx.x * THREADS + t;
    int sum = i < n && in[i] != 0.0f ? 1 : 0;
    for (int offset = 1; offset < 32; offset *= 2) {
        int neighbour = __shfl_up_sync(0xffffffff, sum, offset);
        if (t % 32 >= offset)
            sum += neighbour;
    }
    int sum_before = __shfl_up_sync(0xffffffff, sum, 1);
    if (t % 32 == 0)
        sum_before = 0;
    if (t % 32 == 31)
        place[t / 32] = sum;
    __syncthreads();
    if (t < 32) {
        int warps = t < THREADS / 32 ? place[t] : 0;
        for (int offset = 1; offset < 32; offset *= 2) {
            int neighbour = __shfl_up_sync(0xffffffff, warps, offset);
            if (t >= offset)
                warps += neighbour;
        }
        if (t < THREADS / 32)
            place[t] = warps;
    }
    __syncthreads();
    if (t >= 32) {
        sum += place[t / 32 - 1];
        sum_before += place[t / 32 - 1];
    }
    int count = place[THREADS / 32 - 1];
    int before = sum_before;
    if (i < n && sum > before)
        out[blockIdx.x * THREADS + before] = in[i];
    if (t >= count && i < n)
        out[i] = 0.0f;
    if (t == 0)
        counts[blockIdx.x] = count;
}

int main()
{
    int n = 5000, blocks = (n + THREADS - 1) / THREADS;
    float *in, *out;
    int *counts;
    cudaMallocManaged(&in, n * sizeof(float));
    cudaMallocManaged(&out, n * sizeof(float));
    cudaMallocManaged(&counts, blocks * sizeof(int));
    for (int i = 0; i < n; i++) in[i] = i % 3 ? i * 0.5f : 0.0f;
    pack<<<blocks, THREADS>>>(in, out, counts, n);
    cudaDeviceSynchronize();
    printf("%d %f\n", counts[0], out[5]);
}
