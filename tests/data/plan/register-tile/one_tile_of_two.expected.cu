// kernel=tiled line=13 finding=KO108
#include <cstdio>

#define T 8

__global__ void tiled(const float *a, const float *b, float *c, int n) {
    __shared__ float a_tile[16][68];
    __shared__ float b_tile[16][64];
    const int thread = threadIdx.y * 8 + threadIdx.x;
    float sum[8][8] = {};
    for (int start = 0; start < n; start += 16) {
        for (int e = thread; e < 16 * 64; e += 64) {
            const int row = blockIdx.y * 64 + e / 16;
            const int k = start + e % 16;
            a_tile[e % 16][e / 16] = row < n && k < n ? a[row * n + k] : 0.0f;
        }
        for (int e = thread; e < 16 * 64; e += 64) {
            const int col = blockIdx.x * 64 + e % 64;
            const int k = start + e / 64;
            b_tile[e / 64][e % 64] = col < n && k < n ? b[k * n + col] : 0.0f;
        }
        __syncthreads();
        #pragma unroll
        for (int p = 0; p < 16; ++p) {
            float a_reg[8];
            #pragma unroll
            for (int i = 0; i < 8; ++i) {
                a_reg[i] = a_tile[p][i / 4 * 32 + threadIdx.y * 4 + i % 4];
            }
            float b_reg[8];
            #pragma unroll
            for (int j = 0; j < 8; ++j) {
                b_reg[j] = b_tile[p][j / 4 * 32 + threadIdx.x * 4 + j % 4];
            }
            #pragma unroll
            for (int i = 0; i < 8; ++i) {
                #pragma unroll
                for (int j = 0; j < 8; ++j) {
                    sum[i][j] += a_reg[i] * b_reg[j];
                }
            }
        }
        __syncthreads();
    }
    #pragma unroll
    for (int i = 0; i < 8; ++i) {
        const int row = blockIdx.y * 64 + i / 4 * 32 + threadIdx.y * 4 + i % 4;
        #pragma unroll
        for (int j = 0; j < 8; ++j) {
            const int col = blockIdx.x * 64 + j / 4 * 32 + threadIdx.x * 4 + j % 4;
            if (row < n && col < n) {
                c[row * n + col] = sum[i][j];
            }
        }
    }
}

int main() {
    const int n = 16;
    float *a, *b, *c;
    cudaMallocManaged(&a, n * n * sizeof(float));
    cudaMallocManaged(&b, n * n * sizeof(float));
    cudaMallocManaged(&c, n * n * sizeof(float));
    for (int i = 0; i < n * n; ++i) a[i] = b[i] = 1;
    tiled<<<dim3(1, 1), dim3(T, T)>>>(a, b, c, n);
    cudaDeviceSynchronize();
    return puts(c[7] == n ? "PASS" : "FAIL"), 0;
}
