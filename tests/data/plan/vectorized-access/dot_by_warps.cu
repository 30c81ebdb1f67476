// kernel=dot_pieces line=17 finding=KO118
#include <stdio.h>
#define BLOCKS  12
#define THREADS 128

__global__ void dot_pieces(const float *u, const float *v, double *partial, int n)
{
    __shared__ double block_sum[THREADS];

    int id = blockIdx.x * THREADS + threadIdx.x;
    int piece = (n + BLOCKS * THREADS - 1) / (BLOCKS * THREADS);
    // the pieces of a warp's threads, dealt out one by one
    int begin = (id - id % 32) * piece;
    int end = begin + 32 * piece < n ? begin + 32 * piece : n;

    double s = 0;
    for (int i = begin + id % 32; i < end; i += 32)
        s += u[i] * v[i];
    block_sum[threadIdx.x] = s;
    __syncthreads();

    if (threadIdx.x == 0) {
        double total = 0;
        for (int t = 0; t < THREADS; t++)
            total += block_sum[t];
        partial[blockIdx.x] = total;
    }
}

int main()
{
    const int n = 20011;
    static float u[n], v[n];
    double partial[BLOCKS], dot = 0;
    for (int i = 0; i < n; i++) {
        u[i] = (i % 8) * 0.5f;
        v[i] = 2.0f - (i % 5);
    }
    float *gu, *gv;
    double *gp;
    cudaMalloc(&gu, sizeof u);
    cudaMalloc(&gv, sizeof v);
    cudaMalloc(&gp, sizeof partial);
    cudaMemcpy(gu, u, sizeof u, cudaMemcpyHostToDevice);
    cudaMemcpy(gv, v, sizeof v, cudaMemcpyHostToDevice);
    dot_pieces<<<BLOCKS, THREADS>>>(gu, gv, gp, n);
    cudaMemcpy(partial, gp, sizeof partial, cudaMemcpyDeviceToHost);
    for (int b = 0; b < BLOCKS; b++) dot += partial[b];
    printf("u.v = %.2f\n", dot);
}
