// kernel=gemm line=20 finding=KO108
#include <cstdio>
#define TILE 16

// C = A * B
template <typename T>
__global__ void gemm(const T* __restrict__ A, const T* __restrict__ B, T* __restrict__ C, int n) {
    __shared__ T As[TILE][TILE];
    __shared__ T Bs[TILE][TILE];

    int tx = threadIdx.x, ty = threadIdx.y;
    int row = blockIdx.y * TILE + ty;
    int col = blockIdx.x * TILE + tx;

    T sum = 0;
    for (int t = 0; t < n; t += TILE) {
        As[ty][tx] = (row < n && t + tx < n) ? A[row * n + t + tx] : T(0);
        Bs[ty][tx] = (t + ty < n && col < n) ? B[(t + ty) * n + col] : T(0);
        __syncthreads();
        for (int k = 0; k < TILE; k++) sum += As[ty][k] * Bs[k][tx];
        __syncthreads();
    }
    if (row < n && col < n) C[row * n + col] = sum;
}

int main() {
    const int n = 100;
    double *a, *b, *c;
    cudaMallocManaged(&a, n * n * sizeof(double));
    cudaMallocManaged(&b, n * n * sizeof(double));
    cudaMallocManaged(&c, n * n * sizeof(double));
    for (int i = 0; i < n * n; ++i) a[i] = i % 7, b[i] = i % 5;
    dim3 threads(TILE, TILE);
    dim3 blocks((n + TILE - 1) / TILE, (n + TILE - 1) / TILE);
    gemm<double><<<blocks, threads>>>(a, b, c, n);
    cudaDeviceSynchronize();
    double sum = 0;
    for (int i = 0; i < n * n; ++i) sum += c[i];
    printf("%f\n", sum);
}
