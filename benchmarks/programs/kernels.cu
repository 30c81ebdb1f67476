// Emulator speed: the same three loops as plain.cpp, as CUDA kernels. Prints "name seconds" lines.
#include <chrono>
#include <cstdio>
#include <cstdlib>

#define TILE 16

__global__ void saxpy(int n, float a, const float *x, float *y)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = a * x[i] + y[i];
}

__global__ void tiled(const float *A, const float *B, float *C, int n)
{
    __shared__ float As[TILE][TILE];
    __shared__ float Bs[TILE][TILE];
    int tx = threadIdx.x, ty = threadIdx.y;
    int row = blockIdx.y * TILE + ty, col = blockIdx.x * TILE + tx;
    float sum = 0.0f;
    for (int t = 0; t < n / TILE; t++) {
        As[ty][tx] = A[row * n + t * TILE + tx];
        Bs[ty][tx] = B[(t * TILE + ty) * n + col];
        __syncthreads();
        for (int k = 0; k < TILE; k++) sum += As[ty][k] * Bs[k][tx];
        __syncthreads();
    }
    C[row * n + col] = sum;
}

template <class Launch>
static void report(const char *name, Launch launch)
{
    auto start = std::chrono::steady_clock::now();
    launch();
    cudaDeviceSynchronize();
    std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
    printf("%s %.9f\n", name, took.count());
}

int main(int argc, char **argv)
{
    int n = argc > 1 ? atoi(argv[1]) : 1 << 22;
    int m = argc > 2 ? atoi(argv[2]) : 384;
    float *x, *y, *z;
    cudaMalloc(&x, n * sizeof(float));
    cudaMalloc(&y, n * sizeof(float));
    cudaMalloc(&z, n * sizeof(float));
    cudaMemset(x, 0, n * sizeof(float));
    cudaMemset(y, 0, n * sizeof(float));
    report("saxpy", [&] { saxpy<<<(n + 255) / 256, 256>>>(n, 2.0f, x, y); });
    report("tiled", [&] { tiled<<<dim3(m / TILE, m / TILE), dim3(TILE, TILE)>>>(x, y, z, m); });
    return 0;
}
