// kernel=MatMul line=27 finding=KO108
#include <stdio.h>
#define BLOCK 16

__global__ void MatMul(float *A, float *B, float *C, int ARows, int ACols, int BCols)
{
    __shared__ float a_tile[16][132];
    __shared__ float b_tile[16][64];
    const int thread = threadIdx.y * 16 + threadIdx.x;
    float value[8][4] = {};
    float a_next[8];
    float b_next[4];
    const auto load_next = [&](int start) {
        #pragma unroll
        for (int l = 0; l < 8; ++l) {
            const int e = thread + l * 256;
            const int Row = blockIdx.y * 128 + e / 16;
            const int k = start + e % 16;
            a_next[l] = Row < ARows && k < ACols ? A[Row * ACols + k] : 0.0f;
        }
        #pragma unroll
        for (int l = 0; l < 4; ++l) {
            const int e = thread + l * 256;
            const int Col = blockIdx.x * 64 + e % 64;
            const int k = start + e / 64;
            b_next[l] = Col < BCols && k < ACols ? B[k * BCols + Col] : 0.0f;
        }
    };
    load_next(0);
    for (int start = 0; start < ACols; start += 16) {
        #pragma unroll
        for (int l = 0; l < 8; ++l) {
            const int e = thread + l * 256;
            a_tile[e % 16][e / 16] = a_next[l];
        }
        #pragma unroll
        for (int l = 0; l < 4; ++l) {
            const int e = thread + l * 256;
            b_tile[e / 64][e % 64] = b_next[l];
        }
        __syncthreads();
        if (start + 16 < ACols) load_next(start + 16);
        #pragma unroll
        for (int p = 0; p < 16; ++p) {
            float a_reg[8];
            #pragma unroll
            for (int i = 0; i < 8; ++i) {
                a_reg[i] = a_tile[p][i / 4 * 64 + threadIdx.y * 4 + i % 4];
            }
            float b_reg[4];
            #pragma unroll
            for (int j = 0; j < 4; ++j) {
                b_reg[j] = b_tile[p][threadIdx.x * 4 + j];
            }
            #pragma unroll
            for (int i = 0; i < 8; ++i) {
                #pragma unroll
                for (int j = 0; j < 4; ++j) {
                    value[i][j] += a_reg[i] * b_reg[j];
                }
            }
        }
        __syncthreads();
    }
    #pragma unroll
    for (int i = 0; i < 8; ++i) {
        const int Row = blockIdx.y * 128 + i / 4 * 64 + threadIdx.y * 4 + i % 4;
        #pragma unroll
        for (int j = 0; j < 4; ++j) {
            const int Col = blockIdx.x * 64 + threadIdx.x * 4 + j;
            if (Row < ARows && Col < BCols) {
                C[Row * BCols + Col] = value[i][j];
            }
        }
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
    dim3 grid((n + 4 * BLOCK - 1) / (4 * BLOCK), (m + 8 * BLOCK - 1) / (8 * BLOCK));
    MatMul<<<grid, block>>>(a, b, c, m, k, n);
    cudaDeviceSynchronize();
    float sum = 0;
    for (int i = 0; i < m * n; ++i) sum += c[i];
    printf("%f\n", sum);
    return 0;
}
