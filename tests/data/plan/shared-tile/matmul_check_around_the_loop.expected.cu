// kernel=matmul line=14 finding=KO108
#include <cstdio>
#include <cstdlib>

#define BLOCK 16

// c = a * b, row-major, n x n
__global__ void matmul(const float *a, const float *b, float *c, int n) {
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    int col = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0.0f; // the dot product
    __shared__ float a_tile[16][16];
    __shared__ float b_tile[16][16];
    for (int tile = 0; tile < n; tile += 16) {
        a_tile[threadIdx.y][threadIdx.x] = row < n && tile + threadIdx.x < n ? a[row * n + tile + threadIdx.x] : 0.0f;
        b_tile[threadIdx.y][threadIdx.x] = col < n && tile + threadIdx.y < n ? b[(tile + threadIdx.y) * n + col] : 0.0f;
        __syncthreads();
        for (int k = tile; k < tile + 16 && k < n; ++k) {
            sum += a_tile[threadIdx.y][k - tile] * b_tile[k - tile][threadIdx.x];
        }
        __syncthreads();
    }
    if (row < n && col < n) {
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
