// kernel=correlation line=20 finding=KO108
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* correlations of standardized variables: x is samples x vars, r is symmetric with ones on its diagonal */
__global__ void correlation(const float *x, float *r, int samples, int vars)
{
    const bool has_elements = blockIdx.x * 128 < blockIdx.y * 128 + 127;
    __shared__ float x_a_tile[8][128];
    __shared__ float x_b_tile[8][128];
    const int thread = threadIdx.y * 16 + threadIdx.x;
    float sum[8][8] = {};
    float x_a_next[4];
    float x_b_next[4];
    const auto load_next = [&](int start) {
        #pragma unroll
        for (int l = 0; l < 4; ++l) {
            const int e = thread + l * 256;
            const int a = blockIdx.x * 128 + e % 128;
            const int s = start + e / 128;
            x_a_next[l] = a < vars && s < samples ? x[s * vars + a] : 0.0f;
        }
        #pragma unroll
        for (int l = 0; l < 4; ++l) {
            const int e = thread + l * 256;
            const int b = blockIdx.y * 128 + e % 128;
            const int s = start + e / 128;
            x_b_next[l] = b < vars && s < samples ? x[s * vars + b] : 0.0f;
        }
    };
    load_next(0);
    for (int start = 0; has_elements && start < samples; start += 8) {
        #pragma unroll
        for (int l = 0; l < 4; ++l) {
            const int e = thread + l * 256;
            x_a_tile[e / 128][e % 128] = x_a_next[l];
        }
        #pragma unroll
        for (int l = 0; l < 4; ++l) {
            const int e = thread + l * 256;
            x_b_tile[e / 128][e % 128] = x_b_next[l];
        }
        __syncthreads();
        if (start + 8 < samples) load_next(start + 8);
        #pragma unroll
        for (int p = 0; p < 8; ++p) {
            float x_b_reg[8];
            #pragma unroll
            for (int i = 0; i < 8; ++i) {
                x_b_reg[i] = x_b_tile[p][i / 4 * 64 + threadIdx.y * 4 + i % 4];
            }
            float x_a_reg[8];
            #pragma unroll
            for (int j = 0; j < 8; ++j) {
                x_a_reg[j] = x_a_tile[p][j / 4 * 64 + threadIdx.x * 4 + j % 4];
            }
            #pragma unroll
            for (int i = 0; i < 8; ++i) {
                #pragma unroll
                for (int j = 0; j < 8; ++j) {
                    sum[i][j] += x_a_reg[j] * x_b_reg[i];
                }
            }
        }
        __syncthreads();
    }
    #pragma unroll
    for (int i = 0; i < 8; ++i) {
        const int b = blockIdx.y * 128 + i / 4 * 64 + threadIdx.y * 4 + i % 4;
        #pragma unroll
        for (int j = 0; j < 8; ++j) {
            const int a = blockIdx.x * 128 + j / 4 * 64 + threadIdx.x * 4 + j % 4;
            if (a < vars) {
                if (b == 0) r[a * vars + a] = 1.0f;
                if (b > a && b < vars) {
                    r[a * vars + b] = sum[i][j];
                    r[b * vars + a] = sum[i][j];
                }
            }
        }
    }
}

int main(int argc, char **argv)
{
    int samples = argc > 1 ? atoi(argv[1]) : 90, vars = argc > 2 ? atoi(argv[2]) : 75;
    size_t in = (size_t)samples * vars * sizeof(float), out = (size_t)vars * vars * sizeof(float);
    float *x = (float *)malloc(in), *r = (float *)malloc(out), *dx, *dr;
    for (int i = 0; i < samples * vars; i++)
        x[i] = sinf(i * 0.37f) / samples;
    if (cudaMalloc(&dx, in) != cudaSuccess || cudaMalloc(&dr, out) != cudaSuccess)
        return 1;
    cudaMemcpy(dx, x, in, cudaMemcpyHostToDevice);
    dim3 threads(16, 16), blocks((vars + 127) / 128, (vars + 127) / 128);
    correlation<<<blocks, threads>>>(dx, dr, samples, vars);
    if (cudaDeviceSynchronize() != cudaSuccess)
        return 1;
    cudaMemcpy(r, dr, out, cudaMemcpyDeviceToHost);
    double total = 0;
    for (int i = 0; i < vars * vars; i++)
        total += r[i];
    printf("%.6f\n", total);
    cudaFree(dx);
    cudaFree(dr);
    free(x);
    free(r);
    return 0;
}
