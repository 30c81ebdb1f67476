// Dense matrix product. Bottleneck: the sum lives in global memory and is loaded and stored in every step of the loop.
#include <cstdio>
#include <cstdlib>
#include <vector>

__global__ void matmul(const float *A, const float *B, float *C, int n)
{
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    int col = blockIdx.x * blockDim.x + threadIdx.x;
    if (row < n && col < n) {
        C[row * n + col] = 0.0f;
        for (int k = 0; k < n; k++) {
            C[row * n + col] += A[row * n + k] * B[k * n + col];
        }
    }
}

int main(int argc, char **argv)
{
    int n = argc > 1 ? atoi(argv[1]) : 128;
    size_t bytes = size_t(n) * n * sizeof(float);
    std::vector<float> a(n * n), b(n * n), c(n * n);
    for (int i = 0; i < n * n; i++) {
        a[i] = float(i % 13) - 6.0f;
        b[i] = float(i % 7) * 0.5f;
    }
    float *da, *db, *dc;
    cudaMalloc(&da, bytes);
    cudaMalloc(&db, bytes);
    cudaMalloc(&dc, bytes);
    cudaMemcpy(da, a.data(), bytes, cudaMemcpyHostToDevice);
    cudaMemcpy(db, b.data(), bytes, cudaMemcpyHostToDevice);

    dim3 block(16, 16);
    dim3 grid((n + 15) / 16, (n + 15) / 16);
    matmul<<<grid, block>>>(da, db, dc, n);
    cudaDeviceSynchronize();
    cudaMemcpy(c.data(), dc, bytes, cudaMemcpyDeviceToHost);

    double trace = 0;
    for (int i = 0; i < n; i++) trace += c[i * n + i];
    printf("trace = %g\n", trace);
    cudaFree(da);
    cudaFree(db);
    cudaFree(dc);
}
