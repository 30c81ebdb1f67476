/* dot product of two float vectors - first CUDA port of our OpenMP loop:
   every thread gets one contiguous piece, like every core did before */
#include <stdio.h>
#include <stdlib.h>

#define BLOCKS  128
#define THREADS 128

static void die_if(cudaError_t e, const char *where)
{
    if (e) {
        printf("%s: %s\n", where, cudaGetErrorString(e));
        exit(EXIT_FAILURE);
    }
}

__global__ void dot_pieces(const float *u, const float *v, double *partial, int n)
{
    __shared__ double block_sum[THREADS];

    int id = blockIdx.x * THREADS + threadIdx.x;
    int piece = (n + BLOCKS * THREADS - 1) / (BLOCKS * THREADS);
    int begin = id * piece;
    int end = begin + piece < n ? begin + piece : n;

    double s = 0;
    for (int i = begin; i < end; i++)
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

int main(int argc, char **argv)
{
    int n = argc > 1 ? atoi(argv[1]) : 65536;
    size_t size = n * sizeof(float);
    float *u = (float *)malloc(size), *v = (float *)malloc(size);
    double partial[BLOCKS], dot = 0;

    for (int i = 0; i < n; i++) {
        u[i] = (i % 8) * 0.5f;
        v[i] = 2.0f - (i % 5);
    }

    float *gpu_u, *gpu_v;
    double *gpu_partial;
    die_if(cudaMalloc(&gpu_u, size), "malloc u");
    die_if(cudaMalloc(&gpu_v, size), "malloc v");
    die_if(cudaMalloc(&gpu_partial, sizeof(partial)), "malloc partial");
    die_if(cudaMemcpy(gpu_u, u, size, cudaMemcpyHostToDevice), "copy u");
    die_if(cudaMemcpy(gpu_v, v, size, cudaMemcpyHostToDevice), "copy v");

    dot_pieces<<<BLOCKS, THREADS>>>(gpu_u, gpu_v, gpu_partial, n);
    die_if(cudaGetLastError(), "dot_pieces");
    die_if(cudaMemcpy(partial, gpu_partial, sizeof(partial), cudaMemcpyDeviceToHost), "copy back");

    for (int b = 0; b < BLOCKS; b++)
        dot += partial[b];
    printf("u.v = %.2f\n", dot);

    die_if(cudaFree(gpu_u), "free u");
    die_if(cudaFree(gpu_v), "free v");
    die_if(cudaFree(gpu_partial), "free partial");
    free(u);
    free(v);
    return 0;
}
