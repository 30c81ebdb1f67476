// kernel=dot line=22 finding=KO115
#include <stdio.h>
#include <stdlib.h>

#define BLOCK 128

typedef float real;

/* scalar product, one atomic for each block */
__global__ void dot(const real *a, const real *b, real *result, int n)
{
    __shared__ real cache[BLOCK];
    const int tid = threadIdx.x;
    real sum = 0;

    for (int i = blockIdx.x * BLOCK + tid; i < n; i += BLOCK * gridDim.x)
        sum += a[i] * b[i];
    cache[tid] = sum;
    __syncthreads();

    /* tree, written out */
    if (tid < 64) { cache[tid] = sum = sum + cache[tid + 64]; } __syncthreads();
    if (tid < 32) { cache[tid] = sum = sum + cache[tid + 32]; } __syncthreads();
    if (tid < 16) { cache[tid] = sum = sum + cache[tid + 16]; } __syncthreads();
    if (tid < 8) { cache[tid] = sum = sum + cache[tid + 8]; } __syncthreads();
    if (tid < 4) { cache[tid] = sum = sum + cache[tid + 4]; } __syncthreads();
    if (tid < 2) { cache[tid] = sum = sum + cache[tid + 2]; } __syncthreads();
    if (tid < 1) { cache[tid] = sum = sum + cache[tid + 1]; } __syncthreads();

    if (tid == 0)
        atomicAdd(result, cache[0]);
}

int main(int argc, char **argv)
{
    int n = argc > 1 ? atoi(argv[1]) : 9000;
    real *a = (real *)malloc(n * sizeof(real)), *b = (real *)malloc(n * sizeof(real)), *da, *db, *dr, r;
    for (int i = 0; i < n; i++) {
        a[i] = (i % 7) / 7.0f;
        b[i] = (i % 5) / 5.0f;
    }
    cudaMalloc(&da, n * sizeof(real));
    cudaMalloc(&db, n * sizeof(real));
    cudaMalloc(&dr, sizeof(real));
    cudaMemcpy(da, a, n * sizeof(real), cudaMemcpyHostToDevice);
    cudaMemcpy(db, b, n * sizeof(real), cudaMemcpyHostToDevice);
    cudaMemset(dr, 0, sizeof(real));
    dot<<<12, BLOCK>>>(da, db, dr, n);
    cudaMemcpy(&r, dr, sizeof(real), cudaMemcpyDeviceToHost);
    printf("%f\n", r);
    cudaFree(da);
    cudaFree(db);
    cudaFree(dr);
    free(a);
    free(b);
    return 0;
}
