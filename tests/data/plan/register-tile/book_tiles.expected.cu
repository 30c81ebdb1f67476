// kernel=gemm line=20 finding=KO108
#include <cstdio>
#define TILE 16

// C = A * B
template <typename T>
__global__ void gemm(const T* __restrict__ A, const T* __restrict__ B, T* __restrict__ C, int n) {
    __shared__ T a_tile[16][132];
    __shared__ T b_tile[16][64];
    const int thread = threadIdx.y * 16 + threadIdx.x;
    T sum[8][4] = {};
    for (int start = 0; start < n; start += 16) {
        for (int e = thread; e < 16 * 128; e += 256) {
            const int row = blockIdx.y * 128 + e / 16;
            const int k = start + e % 16;
            a_tile[e % 16][e / 16] = row < n && k < n ? A[row * n + k] : T{};
        }
        for (int e = thread; e < 16 * 64; e += 256) {
            const int col = blockIdx.x * 64 + e % 64;
            const int k = start + e / 64;
            b_tile[e / 64][e % 64] = col < n && k < n ? B[k * n + col] : T{};
        }
        __syncthreads();
        #pragma unroll
        for (int p = 0; p < 16; ++p) {
            T a_reg[8];
            #pragma unroll
            for (int i = 0; i < 8; ++i) {
                a_reg[i] = a_tile[p][i / 2 * 32 + threadIdx.y * 2 + i % 2];
            }
            T b_reg[4];
            #pragma unroll
            for (int j = 0; j < 4; ++j) {
                b_reg[j] = b_tile[p][j / 2 * 32 + threadIdx.x * 2 + j % 2];
            }
            #pragma unroll
            for (int i = 0; i < 8; ++i) {
                #pragma unroll
                for (int j = 0; j < 4; ++j) {
                    sum[i][j] += a_reg[i] * b_reg[j];
                }
            }
        }
        __syncthreads();
    }
    #pragma unroll
    for (int i = 0; i < 8; ++i) {
        const int row = blockIdx.y * 128 + i / 2 * 32 + threadIdx.y * 2 + i % 2;
        #pragma unroll
        for (int j = 0; j < 4; ++j) {
            const int col = blockIdx.x * 64 + j / 2 * 32 + threadIdx.x * 2 + j % 2;
            if (row < n && col < n) {
                C[row * n + col] = sum[i][j];
            }
        }
    }
}

int main() {
    const int n = 100;
    double *a, *b, *c;
    cudaMallocManaged(&a, n * n * sizeof(double));
    cudaMallocManaged(&b, n * n * sizeof(double));
    cudaMallocManaged(&c, n * n * sizeof(double));
    for (int i = 0; i < n * n; ++i) a[i] = i % 7, b[i] = i % 5;
    dim3 threads(TILE, TILE);
    dim3 blocks((n + 4 * TILE - 1) / (4 * TILE), (n + 8 * TILE - 1) / (8 * TILE));
    gemm<double><<<blocks, threads>>>(a, b, c, n);
    cudaDeviceSynchronize();
    double sum = 0;
    for (int i = 0; i < n * n; ++i) sum += c[i];
    printf("%f\n", sum);
}
