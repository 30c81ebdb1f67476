// Bias gradient of a half-precision linear layer: column sums of dY, then an SGD step on fp16 biases.
#include <cstdio>
#include <cstdlib>
#include <vector>
#include <cmath>
#include <cuda_runtime.h>
#include <cuda_fp16.h>

#define GPUASSERT(ans) { gpuAssert((ans), __FILE__, __LINE__); }
inline void gpuAssert(cudaError_t code, const char* file, int line)
{
    if (code != cudaSuccess) { fprintf(stderr, "GPUassert: %s %s %d\n", cudaGetErrorString(code), file, line); exit(code); }
}

constexpr int TX = 32, TY = 8, ROWS_PER_BLOCK = 128;

// A warp row reads 32 neighbouring half2; eight warps share the rows of the block and meet in
// shared memory (float), so one half2 atomic leaves per column and block instead of sixteen.
__global__ void __launch_bounds__(TX * TY)
bias_grad(const __half2* __restrict__ dy, int rows, int cols2, __half2* __restrict__ db)
{
    __shared__ float2 part[TY][TX];
    const int c = blockIdx.x * TX + threadIdx.x;
    const int r0 = blockIdx.y * ROWS_PER_BLOCK;
    const int r1 = min(rows, r0 + ROWS_PER_BLOCK);
    float ax = 0.f, ay = 0.f;
    if (c < cols2) {
#pragma unroll 4
        for (int r = r0 + threadIdx.y; r < r1; r += TY) {
            const float2 v = __half22float2(dy[(size_t)r * cols2 + c]);
            ax += v.x;
            ay += v.y;
        }
    }
    part[threadIdx.y][threadIdx.x] = make_float2(ax, ay);
    __syncthreads();
    if (threadIdx.y == 0 && c < cols2) {
#pragma unroll
        for (int k = 1; k < TY; ++k) {
            ax += part[k][threadIdx.x].x;
            ay += part[k][threadIdx.x].y;
        }
        atomicAdd(&db[c], __floats2half2_rn(ax, ay));
    }
}

__global__ void step(__half* bias, const __half* grad, float lr, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) bias[i] = __float2half(__half2float(bias[i]) - lr * __half2float(grad[i]));
}

int main()
{
    const int rows = 1000, cols = 1030, cols2 = cols / 2;
    std::vector<__half> dy((size_t)rows * cols), bias(cols);
    unsigned s = 8;
    for (size_t i = 0; i < dy.size(); ++i) {
        s = s * 1664525u + 1013904223u;
        float n = ((s >> 8) & 0xffff) / 65536.0f - 0.5f;
        dy[i] = __float2half(0.02f * n + 0.001f * ((int)(i % cols) % 5 - 2));
    }
    for (int c = 0; c < cols; ++c) bias[c] = __float2half(0.5f * sinf(0.1f * c));
    __half2 *d_dy, *d_db; __half* d_bias;
    GPUASSERT(cudaMalloc(&d_dy, dy.size() * sizeof(__half)));
    GPUASSERT(cudaMalloc(&d_db, cols * sizeof(__half)));
    GPUASSERT(cudaMalloc(&d_bias, cols * sizeof(__half)));
    GPUASSERT(cudaMemcpy(d_dy, dy.data(), dy.size() * sizeof(__half), cudaMemcpyHostToDevice));
    GPUASSERT(cudaMemcpy(d_bias, bias.data(), cols * sizeof(__half), cudaMemcpyHostToDevice));
    GPUASSERT(cudaMemset(d_db, 0, cols * sizeof(__half)));

    dim3 block(TX, TY), grid((cols2 + TX - 1) / TX, (rows + ROWS_PER_BLOCK - 1) / ROWS_PER_BLOCK);
    bias_grad<<<grid, block>>>(d_dy, rows, cols2, d_db);
    step<<<(cols + 255) / 256, 256>>>(d_bias, reinterpret_cast<const __half*>(d_db), 0.1f, cols);
    GPUASSERT(cudaGetLastError());
    GPUASSERT(cudaMemcpy(bias.data(), d_bias, cols * sizeof(__half), cudaMemcpyDeviceToHost));
    double sum = 0, sq = 0;
    for (int c = 0; c < cols; ++c) { double b = __half2float(bias[c]); sum += b; sq += b * b; }
    printf("bias sum %.2f norm %.3f\n", sum, std::sqrt(sq));
    for (int c = 0; c < cols; c += 200) printf("b[%d] = %.2f\n", c, __half2float(bias[c]));
    cudaFree(d_dy); cudaFree(d_db); cudaFree(d_bias);
    return 0;
}
