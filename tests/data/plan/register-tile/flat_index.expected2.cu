// kernel=gram line=11 finding=KO108
#include <cstdio>
#define THREADS 128

// entries of X^T X for a table of samples, one thread each
__global__ void gram(const float* __restrict__ X, float* __restrict__ G, int samples, int dims) {
    __shared__ float x_a_tile[16][64];
    __shared__ float x_b_tile[16][64];
    const int thread = threadIdx.y * 16 + threadIdx.x;
    float dot[8][4] = {};
    float x_a_next[8];
    float x_b_next[8];
    const auto load_next = [&](int start) {
        #pragma unroll
        for (int l = 0; l < 8; ++l) {
            const int e = thread + l * 128;
            const int a = blockIdx.y * 64 + e % 64;
            const int s = start + e / 64;
            x_a_next[l] = a < dims && s < samples ? X[s * dims + a] : 0.0f;
        }
        #pragma unroll
        for (int l = 0; l < 8; ++l) {
            const int e = thread + l * 128;
            const int b = blockIdx.x * 64 + e % 64;
            const int s = start + e / 64;
            x_b_next[l] = b < dims && s < samples ? X[s * dims + b] : 0.0f;
        }
    };
    load_next(0);
    for (int start = 0; start < samples; start += 16) {
        #pragma unroll
        for (int l = 0; l < 8; ++l) {
            const int e = thread + l * 128;
            x_a_tile[e / 64][e % 64] = x_a_next[l];
        }
        #pragma unroll
        for (int l = 0; l < 8; ++l) {
            const int e = thread + l * 128;
            x_b_tile[e / 64][e % 64] = x_b_next[l];
        }
        __syncthreads();
        if (start + 16 < samples) load_next(start + 16);
        #pragma unroll
        for (int p = 0; p < 16; ++p) {
            float x_a_reg[8];
            #pragma unroll
            for (int i = 0; i < 8; ++i) {
                x_a_reg[i] = x_a_tile[p][i / 4 * 32 + threadIdx.y * 4 + i % 4];
            }
            float x_b_reg[4];
            #pragma unroll
            for (int j = 0; j < 4; ++j) {
                x_b_reg[j] = x_b_tile[p][threadIdx.x * 4 + j];
            }
            #pragma unroll
            for (int i = 0; i < 8; ++i) {
                #pragma unroll
                for (int j = 0; j < 4; ++j) {
                    dot[i][j] += x_a_reg[i] * x_b_reg[j];
                }
            }
        }
        __syncthreads();
    }
    #pragma unroll
    for (int i = 0; i < 8; ++i) {
        const int a = blockIdx.y * 64 + i / 4 * 32 + threadIdx.y * 4 + i % 4;
        #pragma unroll
        for (int j = 0; j < 4; ++j) {
            const int b = blockIdx.x * 64 + threadIdx.x * 4 + j;
            if (a < dims && b < dims) {
                G[a * dims + b] = dot[i][j] / samples;
            }
        }
    }
}

int main() {
    const int samples = 45, dims = 37;
    float *x, *g;
    cudaMallocManaged(&x, samples * dims * sizeof(float));
    cudaMallocManaged(&g, dims * dims * sizeof(float));
    for (int i = 0; i < samples * dims; ++i) x[i] = i % 9 * 0.5f;
    gram<<<dim3((dims + 63) / 64, (dims + 63) / 64), dim3(16, 8)>>>(x, g, samples, dims);
    cudaDeviceSynchronize();
    double sum = 0;
    for (int i = 0; i < dims * dims; ++i) sum += g[i];
    printf("%f\n", sum);
}
