// kernel=MatMul line=27 finding=KO108
#include <stdio.h>
#define BLOCK 16

__global__ void MatMul(float *A, float *B, float *C, int ARows, int ACols, int BCols)
{
    __shared__ float tileA[BLOCK][BLOCK];
    __shared__ float tileB[BLOCK][BLOCK + 1];
    int bx = blockIdx.x, by = blockIdx.y;
    int tx = threadIdx.x, ty = threadIdx.y;
    int Row = by * BLOCK + ty;
    int Col = bx * BLOCK + tx;
    float value = 0.0f;

    for (int m = 0; m < (ACols + BLOCK - 1) / BLOCK; ++m) {
        // one element of each tile
        if (Row < ARows && m * BLOCK + tx < ACols)
            tileA[ty][tx] = A[Row * ACols + m * BLOCK + tx];
        else
            tileA[ty][tx] = 0.0f;
        if (m * BLOCK + ty < ACols && Col < BCols)
            tileB[ty][tx] = B[(m * BLOCK + ty) * BCols + Col];
        else
            tileB[ty][tx] = 0.0f;
        __syncthreads();
        for (int k = 0; k < BLOCK; ++k)
            value += tileA[ty][k] * tileB[k][tx];
        __syncthreads();
    }

    if (Row < ARows && Col < BCols) {
        C[Row * BCols + Col] = value;
    }
}

int main()
{
    int m = 70, k = 50, n = 90;
    float *a, *b, *c;
    cudaMallocManaged(&a, m * k * sizeof(float));
    cudaMallocManaged(&b, k * n * sizeof(float));
    cudaMallocManaged(&c, m * n * sizeof(float));
    for (int i = 0; i < m * k; ++i) a[i] = i % 7;
    for (int i = 0; i < k * n; ++i) b[i] = i % 5;
    dim3 block(BLOCK, BLOCK);
    dim3 grid((n + BLOCK - 1) / BLOCK, (m + BLOCK - 1) / BLOCK);
    MatMul<<<grid, block>>>(a, b, c, m, k, n);
    cudaDeviceSynchronize();
    float sum = 0;
    for (int i = 0; i < m * n; ++i) sum += c[i];
    printf("%f\n", sum);
    return 0;
}
