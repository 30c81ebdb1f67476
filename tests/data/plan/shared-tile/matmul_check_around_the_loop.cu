// kernel=matmul line=14 finding=KO108
#include <cstdio>
#include <cstdlib>

#define BLOCK 16

// c = a * b, row-major, n x n
__global__ void matmul(const float *a, const float *b, float *c, int n) {
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    int col = blockIdx.x * blockDim.x + threadIdx.x;
    if (row < n && col < n) {
        float sum = 0.0f; // the dot product
        for (int k = 0; k < n; ++k) {
            sum += a[row * n + k] * b[k * n + col];
        }
        c[row * n + col] = sum;
    }
}

int main() {
    const int n = 37;
    float *a, *b, *c;
    cudaMallocManaged(&a, n * n * sizeof(float));
    cudaMallocManaged(&b, n * n * sizeof(float));
    cudaMallocManaged(&c, n * n * sizeof(float));
    for (int i = 0; i < n * n; ++i) {
        a[i] = i % 5;
        b[i] = i % 3;
    }
    dim3 block(BLOCK, BLOCK), grid((n + BLOCK - 1) / BLOCK, (n + BLOCK - 1) / BLOCK);
    matmul<<<grid, block>>>(a, b, c, n);
    cudaDeviceSynchronize();
    for (int r = 0; r < n; ++r)
        for (int q = 0; q < n; ++q) {
            float want = 0;
            for (int k = 0; k < n; ++k) want += a[r * n + k] * b[k * n + q];
            if (c[r * n + q] != want) return puts("FAIL"), EXIT_FAILURE;
        }
    puts("PASS");
    return EXIT_SUCCESS;
}
