/* C(MxN) = A(MxK) * B(KxN): naive and tiled, sizes not multiple of the tile. */
#include <stdio.h>
#include <stdlib.h>
#include <math.h>
#include <cuda_runtime.h>

#define TILE_WIDTH 16

__global__ void matMulNaive(float *A, float *B, float *C, int M, int K, int N)
{
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    int col = blockIdx.x * blockDim.x + threadIdx.x;
    if ((row < M) && (col < N))
    {
        float sum = 0;
        for (int k = 0; k < K; ++k)
            sum += A[row * K + k] * B[k * N + col];
        C[row * N + col] = sum;
    }
}

__global__ void matMulTiled(float *A, float *B, float *C, int M, int K, int N)
{
    __shared__ float ds_A[TILE_WIDTH][TILE_WIDTH];
    __shared__ float ds_B[TILE_WIDTH][TILE_WIDTH];
    int bx = blockIdx.x;  int by = blockIdx.y;
    int tx = threadIdx.x; int ty = threadIdx.y;
    int Row = by * TILE_WIDTH + ty;
    int Col = bx * TILE_WIDTH + tx;
    float Pvalue = 0;

    for (int m = 0; m < (K - 1) / TILE_WIDTH + 1; ++m)
    {
        if (Row < M && m * TILE_WIDTH + tx < K)
            ds_A[ty][tx] = A[Row * K + m * TILE_WIDTH + tx];
        else
            ds_A[ty][tx] = 0;
        if (Col < N && m * TILE_WIDTH + ty < K)
            ds_B[ty][tx] = B[(m * TILE_WIDTH + ty) * N + Col];
        else
            ds_B[ty][tx] = 0;
        __syncthreads();
        for (int k = 0; k < TILE_WIDTH; ++k)
            Pvalue += ds_A[ty][k] * ds_B[k][tx];
        __syncthreads();
    }
    if (Row < M && Col < N)
        C[Row * N + Col] = Pvalue;
}

int main(int argc, char **argv)
{
    int M = 93, K = 70, N = 129;
    float *A = (float *)malloc(M * K * sizeof(float));
    float *B = (float *)malloc(K * N * sizeof(float));
    float *C = (float *)malloc(M * N * sizeof(float));
    for (int i = 0; i < M * K; i++) A[i] = (float)(i % 7) - 3;
    for (int i = 0; i < K * N; i++) B[i] = (float)(i % 5) - 2;

    float *dA, *dB, *dC;
    cudaMalloc((void **)&dA, M * K * sizeof(float));
    cudaMalloc((void **)&dB, K * N * sizeof(float));
    cudaMalloc((void **)&dC, 2 * M * N * sizeof(float));
    cudaMemcpy(dA, A, M * K * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemcpy(dB, B, K * N * sizeof(float), cudaMemcpyHostToDevice);

    dim3 dimBlock(TILE_WIDTH, TILE_WIDTH, 1);
    dim3 dimGrid((N - 1) / TILE_WIDTH + 1, (M - 1) / TILE_WIDTH + 1, 1);
    matMulNaive<<<dimGrid, dimBlock>>>(dA, dB, dC, M, K, N);
    matMulTiled<<<dimGrid, dimBlock>>>(dA, dB, dC + M * N, M, K, N);

    int errors = 0;
    for (int v = 0; v < 2; v++)
    {
        cudaMemcpy(C, dC + v * M * N, M * N * sizeof(float), cudaMemcpyDeviceToHost);
        for (int i = 0; i < M; i++)
            for (int j = 0; j < N; j++)
            {
                float s = 0;
                for (int k = 0; k < K; k++) s += A[i * K + k] * B[k * N + j];
                if (fabsf(s - C[i * N + j]) > 1e-3f) errors++;
            }
    }
    if (cudaGetLastError() != cudaSuccess) errors++;
    printf("matmul_rect %s\n", errors == 0 ? "PASS" : "FAIL");
    free(A); free(B); free(C);
    cudaFree(dA); cudaFree(dB); cudaFree(dC);
    return errors != 0;
}
