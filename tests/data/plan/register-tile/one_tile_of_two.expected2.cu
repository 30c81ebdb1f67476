// kernel=tiled line=13 finding=KO108
#include <cstdio>

#define T 8

__global__ void tiled(const float *a, const float *b, float *c, int n) {
    __shared__ float a_tile[16][68];
    __shared__ float b_tile[16][32];
    const int thread = threadIdx.y * 8 + threadIdx.x;
    float sum[8][4] = {};
    float a_next[16];
    float b_next[8];
    const auto load_next = [&](int start) {
        #pragma unroll
        for (int l = 0; l < 16; ++l) {
            const int e = thread + l * 64;
            const int row = blockIdx.y * 64 + e / 16;
            const int k = start + e % 16;
            a_next[l] = row < n && k < n ? a[row * n + k] : 0.0f;
        }
        #pragma unroll
        for (int l = 0; l < 8; ++l) {
            const int e = thread + l * 64;
            const int col = blockIdx.x * 32 + e % 32;
            const int k = start + e / 32;
            b_next[l] = col < n && k < n ? b[k * n + col] : 0.0f;
        }
    };
    load_next(0);
    for (int start = 0; start < n; start += 16) {
        #pragma unroll
        for (int l = 0; l < 16; ++l) {
            const int e = thread + l * 64;
            a_tile[e % 16][e / 16] = a_next[l];
        }
        #pragma unroll
        for (int l = 0; l < 8; ++l) {
            const int e = thread + l * 64;
            b_tile[e / 32][e % 32] = b_next[l];
        }
        __syncthreads();
        if (start + 16 < n) load_next(start + 16);
        #pragma unroll
        for (int p = 0; p < 16; ++p) {
            float a_reg[8];
            #pragma unroll
            for (int i = 0; i < 8; ++i) {
                a_reg[i] = a_tile[p][i / 4 * 32 + threadIdx.y * 4 + i % 4];
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
        for (int j = 0; j < 4; ++j) {
            const int col = blockIdx.x * 32 + threadIdx.x * 4 + j;
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
