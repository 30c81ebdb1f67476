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

constexpr int ROWS_PER_THREAD = 8;

__global__ void bias_grad(const __half2* dy, int rows, int cols2, __half2* db)
{
    int c = blockIdx.x * blockDim.x + threadIdx.x;
    if (c >= cols2) return;
    int r0 = blockIdx.y * ROWS_PER_THREAD;
    float ax = 0.f, ay = 0.f;
    for (int r = r0; r < r0 + ROWS_PER_THREAD && r < rows; ++r) {
        float2 v = __half22float2(dy[r * cols2 + c]);
        ax += v.x;
        ay += v.y;
    }
    atomicAdd(&db[c], __floats2half2_rn(ax, ay));
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

    dim3 grid((cols2 + 127) / 128, (rows + ROWS_PER_THREAD - 1) / ROWS_PER_THREAD);
    bias_grad<<<grid, 128>>>(d_dy, rows, cols2, d_db);
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
