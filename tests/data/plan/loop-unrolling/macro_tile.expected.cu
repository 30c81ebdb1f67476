// kernel=matmul line=17 finding=KO114
#include <cstdio>

#define TILE 8

__global__ void matmul(const float *a, const float *b, float *c, int n) {
    __shared__ float sa[TILE][TILE];
    __shared__ float sb[TILE][TILE];
    int row = blockIdx.y * TILE + threadIdx.y;
    int col = blockIdx.x * TILE + threadIdx.x;
    float sum = 0.0f;
    for (int t = 0; t < n; t += TILE) {
        sa[threadIdx.y][threadIdx.x] = a[row * n + t + threadIdx.x];
        sb[threadIdx.y][threadIdx.x] = b[(t + threadIdx.y) * n + col];
        __syncthreads();
        // one tile of the dot product
        #pragma unroll
        for (int k = 0; k < TILE; ++k) {
            sum += sa[threadIdx.y][k] * sb[k][threadIdx.x];
        }
        __syncthreads();
    }
    c[row * n + col] = sum;
}

int main() {
    const int n = 24;
    float *a, *b, *c;
    cudaMallocManaged(&a, n * n * sizeof(float));
    cudaMallocManaged(&b, n * n * sizeof(float));
    cudaMallocManaged(&c, n * n * sizeof(float));
    for (int i = 0; i < n * n; ++i) {
        a[i] = 1.0f;
        b[i] = i % n;
    }
    dim3 block(TILE, TILE), grid(n / TILE, n / TILE);
    matmul<<<grid, block>>>(a, b, c, n);
    cudaDeviceSynchronize();
    for (int i = 0; i < n * n; ++i)
        if (c[i] != n * (i % n)) return puts("FAIL"), 1;
    puts("PASS");
    return 0;
}
