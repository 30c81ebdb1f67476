// kernel=scatter line=19 finding=KO108
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>

#define CHECK(call)                                              \
    do {                                                         \
        cudaError_t err_ = (call);                               \
        if (err_ != cudaSuccess) { printf("%s\n", cudaGetErrorString(err_)); exit(1); } \
    } while (0)

// scatter matrix of the columns of x: upper half, mirrored
__global__ void scatter(const double *x, double *s, int samples, int features)
{
    if (blockIdx.y * 64 > blockIdx.x * 128 + 127) return;
    __shared__ double x_p_tile[16][64];
    __shared__ double x_q_tile[16][128];
    const int thread = threadIdx.y * 16 + threadIdx.x;
    double acc[4][8] = {};
    for (int start = 0; start < samples; start += 16) {
        for (int e = thread; e < 16 * 64; e += 256) {
            const int p = blockIdx.y * 64 + e % 64;
            const int k = start + e / 64;
            x_p_tile[e / 64][e % 64] = p < features && k < samples ? x[k * features + p] : 0.0;
        }
        for (int e = thread; e < 16 * 128; e += 256) {
            const int q = blockIdx.x * 128 + e % 128;
            const int k = start + e / 128;
            x_q_tile[e / 128][e % 128] = q < features && k < samples ? x[k * features + q] : 0.0;
        }
        __syncthreads();
        #pragma unroll
        for (int step = 0; step < 16; ++step) {
            double x_p_reg[4];
            #pragma unroll
            for (int i = 0; i < 4; ++i) {
                x_p_reg[i] = x_p_tile[step][i / 2 * 32 + threadIdx.y * 2 + i % 2];
            }
            double x_q_reg[8];
            #pragma unroll
            for (int j = 0; j < 8; ++j) {
                x_q_reg[j] = x_q_tile[step][j / 2 * 32 + threadIdx.x * 2 + j % 2];
            }
            #pragma unroll
            for (int i = 0; i < 4; ++i) {
                #pragma unroll
                for (int j = 0; j < 8; ++j) {
                    acc[i][j] += x_p_reg[i] * x_q_reg[j];
                }
            }
        }
        __syncthreads();
    }
    #pragma unroll
    for (int i = 0; i < 4; ++i) {
        const int p = blockIdx.y * 64 + i / 2 * 32 + threadIdx.y * 2 + i % 2;
        #pragma unroll
        for (int j = 0; j < 8; ++j) {
            const int q = blockIdx.x * 128 + j / 2 * 32 + threadIdx.x * 2 + j % 2;
            if (p < features && q < features && q >= p) {
                s[p * features + q] = acc[i][j];
                s[q * features + p] = acc[i][j];
            }
        }
    }
}

int main(int argc, char **argv)
{
    int samples = argc > 1 ? atoi(argv[1]) : 70, features = argc > 2 ? atoi(argv[2]) : 600;
    double *x, *s;
    CHECK(cudaMallocManaged(&x, samples * features * sizeof(double)));
    CHECK(cudaMallocManaged(&s, features * features * sizeof(double)));
    for (int i = 0; i < samples * features; i++) x[i] = (i * 7 % 31) / 31.0;
    dim3 threads(16, 16);
    dim3 blocks((features + 8 * threads.x - 1) / (8 * threads.x), (features + 4 * threads.y - 1) / (4 * threads.y));
    scatter<<<blocks, threads>>>(x, s, samples, features);
    CHECK(cudaDeviceSynchronize());
    double sum = 0;
    for (int i = 0; i < features * features; i++) sum += s[i];
    printf("%.6f\n", sum);
    return 0;
}
