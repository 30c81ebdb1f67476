// kernel=syrk_lower line=14 finding=KO108
#include <stdio.h>
#include <stdlib.h>

typedef double real;

// lower triangle of C = beta * C + A * A^T
__global__ void syrk_lower(const real *A, real *C, int n, int m, real beta)
{
    if (blockIdx.x * 64 > blockIdx.y * 128 + 127) return;
    __shared__ real a_i_tile[16][132];
    __shared__ real a_j_tile[16][68];
    const int thread = threadIdx.y * 16 + threadIdx.x;
    real c[8][4];
    #pragma unroll
    for (int r = 0; r < 8; ++r) {
        const int i = blockIdx.y * 128 + r / 2 * 32 + threadIdx.y * 2 + r % 2;
        #pragma unroll
        for (int c2 = 0; c2 < 4; ++c2) {
            const int j = blockIdx.x * 64 + c2 / 2 * 32 + threadIdx.x * 2 + c2 % 2;
            if (i < n && j <= i) {
                c[r][c2] = beta * C[i * n + j];
            }
        }
    }
    for (int start = 0; start < m; start += 16) {
        for (int e = thread; e < 16 * 128; e += 256) {
            const int i = blockIdx.y * 128 + e / 16;
            const int k = start + e % 16;
            a_i_tile[e % 16][e / 16] = i < n && k < m ? A[i * m + k] : 0;
        }
        for (int e = thread; e < 16 * 64; e += 256) {
            const int j = blockIdx.x * 64 + e / 16;
            const int k = start + e % 16;
            a_j_tile[e % 16][e / 16] = j < n && k < m ? A[j * m + k] : 0;
        }
        __syncthreads();
        #pragma unroll
        for (int p = 0; p < 16; ++p) {
            real a_i_reg[8];
            #pragma unroll
            for (int r = 0; r < 8; ++r) {
                a_i_reg[r] = a_i_tile[p][r / 2 * 32 + threadIdx.y * 2 + r % 2];
            }
            real a_j_reg[4];
            #pragma unroll
            for (int c2 = 0; c2 < 4; ++c2) {
                a_j_reg[c2] = a_j_tile[p][c2 / 2 * 32 + threadIdx.x * 2 + c2 % 2];
            }
            #pragma unroll
            for (int r = 0; r < 8; ++r) {
                #pragma unroll
                for (int c2 = 0; c2 < 4; ++c2) {
                    c[r][c2] += a_i_reg[r] * a_j_reg[c2];
                }
            }
        }
        __syncthreads();
    }
    #pragma unroll
    for (int r = 0; r < 8; ++r) {
        const int i = blockIdx.y * 128 + r / 2 * 32 + threadIdx.y * 2 + r % 2;
        #pragma unroll
        for (int c2 = 0; c2 < 4; ++c2) {
            const int j = blockIdx.x * 64 + c2 / 2 * 32 + threadIdx.x * 2 + c2 % 2;
            if (i < n && j <= i) {
                C[i * n + j] = c[r][c2];
            }
        }
    }
}

int main(int argc, char **argv)
{
    int n = argc > 1 ? atoi(argv[1]) : 83, m = 30;
    real *a = (real *)malloc(n * m * sizeof(real)), *c = (real *)malloc(n * n * sizeof(real)), *dA, *dC;
    for (int i = 0; i < n * m; ++i) a[i] = (i % 17) * 0.25 - 2;
    for (int i = 0; i < n * n; ++i) c[i] = (i % 5) - 2;
    cudaMalloc(&dA, n * m * sizeof(real));
    cudaMalloc(&dC, n * n * sizeof(real));
    cudaMemcpy(dA, a, n * m * sizeof(real), cudaMemcpyHostToDevice);
    cudaMemcpy(dC, c, n * n * sizeof(real), cudaMemcpyHostToDevice);
    const dim3 threads(16, 16), blocks((n + 63) / 64, (n + 127) / 128);
    syrk_lower<<<blocks, threads>>>(dA, dC, n, m, 1.5);
    cudaMemcpy(c, dC, n * n * sizeof(real), cudaMemcpyDeviceToHost);
    double sum = 0;
    for (int i = 0; i < n * n; ++i) sum += c[i] * (i % 3 + 1);
    printf("%.6f\n", sum);
    return 0;
}
