// kernel=pack line=14 finding=KO119
#include <cstdio>

#define THREADS 288

// packs the non-zero elements of each tile to its start
__global__ void pack(const float *in, float *out, int *counts, int n)
{
    __shared__ int place[THREADS];
    int t = threadIdx.x;
    int i = blockIdx.x * THREADS + t;
    if (i < n && in[i] != 0.0f) place[t] = 1; else place[t] = 0;
    __syncthreads();
    for (int d = 1; d < THREADS; d += d) {
        int left = 0;
        if (t >= d)
            left = place[t - d];
        __syncthreads();
        place[t] = place[t] + left;
        __syncthreads();
    }
    int count = place[THREADS - 1];
    int before = t > 0 ? place[t - 1] : 0;
    if (i < n && place[t] > before)
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
