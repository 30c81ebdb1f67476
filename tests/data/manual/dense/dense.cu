// Dense layer: C = A * B for row-major float matrices, one thread per output element.
#include <cuda_runtime.h>
#include <cstdio>
#include <cstdlib>
#include <vector>

__global__ void matmul(const float *A, const float *B, float *C, int m, int n, int k)
{
    int col = blockIdx.x * blockDim.x + threadIdx.x;
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    if (row >= m || col >= n)
        return;
    float sum = 0.0f;
    for (int i = 0; i < k; ++i)
        sum += A[row * k + i] * B[i * n + col];
    C[row * n + col] = sum;
}

int main(int argc, char **argv)
{
    int m = argc > 1 ? atoi(argv[1]) : 192;
    int n = argc > 2 ? atoi(argv[2]) : 192;
    int k = argc > 3 ? atoi(argv[3]) : 128;
    std::vector<float> a(m * k), b(k * n), c(m * n);
    for (size_t i = 0; i < a.size(); ++i) a[i] = (float)((i * 37) % 101) / 101.0f - 0.5f;
    for (size_t i = 0; i < b.size(); ++i) b[i] = (float)((i * 53) % 97) / 97.0f - 0.5f;
    float *dA, *dB, *dC;
    cudaMalloc(&dA, a.size() * sizeof(float));
    cudaMalloc(&dB, b.size() * sizeof(float));
    cudaMalloc(&dC, c.size() * sizeof(float));
    cudaMemcpy(dA, a.data(), a.size() * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemcpy(dB, b.data(), b.size() * sizeof(float), cudaMemcpyHostToDevice);
    dim3 block(16, 16);
    dim3 grid((n + block.x - 1) / block.x, (m + block.y - 1) / block.y);
    matmul<<<grid, block>>>(dA, dB, dC, m, n, k);
    cudaMemcpy(c.data(), dC, c.size() * sizeof(float), cudaMemcpyDeviceToHost);
    double total = 0.0;
    for (float x : c) total += x;
    printf("checksum %.4f\n", total);
    cudaFree(dA);
    cudaFree(dB);
    cudaFree(dC);
    return 0;
}
