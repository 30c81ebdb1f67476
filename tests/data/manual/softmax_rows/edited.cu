// Row-wise softmax of a rows x cols matrix of logits.
#include <cuda_runtime.h>
#include <cstdio>
#include <cstdlib>
#include <vector>

__device__ __forceinline__ float warp_max(float value)
{
    for (int offset = 16; offset > 0; offset /= 2)
        value = fmaxf(value, __shfl_xor_sync(0xffffffffu, value, offset));
    return value;
}

__device__ __forceinline__ float warp_sum(float value)
{
    for (int offset = 16; offset > 0; offset /= 2)
        value += __shfl_xor_sync(0xffffffffu, value, offset);
    return value;
}

// rows of up to 512 columns, read once
__device__ __forceinline__ void short_row(const float *x, float *y, int cols, int lane)
{
    float values[16];
    float biggest = -INFINITY;
#pragma unroll
    for (int i = 0; i < 16; ++i) {
        values[i] = lane + 32 * i < cols ? x[lane + 32 * i] : -INFINITY;
        biggest = fmaxf(biggest, values[i]);
    }
    biggest = warp_max(biggest);
    float total = 0;
#pragma unroll
    for (int i = 0; i < 16; ++i) {
        values[i] = lane + 32 * i < cols ? expf(values[i] - biggest) : 0.0f;
        total += values[i];
    }
    total = warp_sum(total);
#pragma unroll
    for (int i = 0; i < 16; ++i)
        if (lane + 32 * i < cols)
            y[lane + 32 * i] = values[i] / total;
}

__device__ __forceinline__ void long_row(const float *x, float *y, int cols, int lane)
{
    float biggest = -INFINITY, total = 0;
#pragma unroll 4
    for (int c = lane; c < cols; c += 32) {
        const float value = x[c];
        if (value > biggest) {
            total *= expf(biggest - value);
            biggest = value;
        }
        total += expf(value - biggest);
    }
    const float all = warp_max(biggest);
    total = warp_sum(biggest == -INFINITY ? 0.0f : total * expf(biggest - all));
#pragma unroll 4
    for (int c = lane; c < cols; c += 32)
        y[c] = expf(x[c] - all) / total;
}

__global__ void softmax(const float *in, float *out, int rows, int cols)
{
    if (blockDim.x % 32 != 0) {
        int r = blockIdx.x * blockDim.x + threadIdx.x;
        if (r >= rows) return;
        const float *x = in + (size_t)r * cols;
        float *y = out + (size_t)r * cols;
        float biggest = x[0];
        for (int c = 1; c < cols; ++c)
            if (x[c] > biggest) biggest = x[c];
        float total = 0;
        for (int c = 0; c < cols; ++c) {
            y[c] = expf(x[c] - biggest);
            total += y[c];
        }
        for (int c = 0; c < cols; ++c)
            y[c] /= total;
        return;
    }
    const int lane = threadIdx.x % 32;
    const int warps = gridDim.x * (blockDim.x / 32);
    for (int r = (blockIdx.x * blockDim.x + threadIdx.x) / 32; r < rows; r += warps) {
        const float *x = in + (size_t)r * cols;
        float *y = out + (size_t)r * cols;
        if (cols <= 512)
            short_row(x, y, cols, lane);
        else
            long_row(x, y, cols, lane);
    }
}

int main(int argc, char **argv)
{
    int rows = argc > 1 ? atoi(argv[1]) : 512;
    int cols = argc > 2 ? atoi(argv[2]) : 300;
    std::vector<float> h((size_t)rows * cols);
    unsigned s = 1;
    for (float &x : h) { s = s * 1664525u + 1013904223u; x = (s >> 8) * (8.0f / (1 << 24)) - 4.0f; }
    float *in, *out;
    cudaMalloc(&in, h.size() * sizeof(float));
    cudaMalloc(&out, h.size() * sizeof(float));
    cudaMemcpy(in, h.data(), h.size() * sizeof(float), cudaMemcpyHostToDevice);
    softmax<<<(rows + 3) / 4, 128>>>(in, out, rows, cols);
    cudaMemcpy(h.data(), out, h.size() * sizeof(float), cudaMemcpyDeviceToHost);
    double first = 0;
    for (int r = 0; r < rows; ++r) first += h[(size_t)r * cols];
    printf("%.7f\n", first);
    cudaFree(in);
    cudaFree(out);
    return 0;
}
