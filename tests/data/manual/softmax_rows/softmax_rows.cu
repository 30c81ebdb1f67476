// Row-wise softmax of a rows x cols matrix of logits.
#include <cuda_runtime.h>
#include <cstdio>
#include <cstdlib>
#include <vector>

__global__ void softmax(const float *in, float *out, int rows, int cols)
{
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
    softmax<<<(rows + 127) / 128, 128>>>(in, out, rows, cols);
    cudaMemcpy(h.data(), out, h.size() * sizeof(float), cudaMemcpyDeviceToHost);
    double first = 0;
    for (int r = 0; r < rows; ++r) first += h[(size_t)r * cols];
    printf("%.7f\n", first);
    cudaFree(in);
    cudaFree(out);
    return 0;
}
