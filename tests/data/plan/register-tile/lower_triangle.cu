// kernel=syrk_lower line=14 finding=KO108
#include <stdio.h>
#include <stdlib.h>

typedef double real;

// lower triangle of C = beta * C + A * A^T
__global__ void syrk_lower(const real *A, real *C, int n, int m, real beta)
{
    const int j = blockIdx.x * blockDim.x + threadIdx.x;
    const int i = blockIdx.y * blockDim.y + threadIdx.y;
    if (i >= n || j > i) return;
    real c = beta * C[i * n + j];
    for (int k = 0; k < m; ++k)
        c += A[i * m + k] * A[j * m + k];
    C[i * n + j] = c;
}

int main(int argc, char **argv)
{
    int n = argc > 1 ? atoi(argv[1]) : 83, m = 30;
    real *a = (real *)malloc(n * m * sizeof(real)), *c = (real *)malloc(n * n * sizeof(real)), *dA, *dC;
    for (int i = 0; i < n * m; ++i) a[i] = (i % 17) * 0.25 - 2;
    for (int i = 0; i < n * n; ++i) c[i] = (i % 5) - 2;
    cudaMalloc(&dA, n * m * sizeof(real));
    cudaMalloc(&dC, n * n * sizeof(real));
    cudaMemcpy(dA, a, n * m * sizeof(real), cudaMemcpyHostToDevice);
    cudaMemcpy(dC, c, n * n * sizeof(real), cudaMemcpyHostToDevice);
    const dim3 threads(16, 16), blocks((n + 15) / 16, (n + 15) / 16);
    syrk_lower<<<blocks, threads>>>(dA, dC, n, m, 1.5);
    cudaMemcpy(c, dC, n * n * sizeof(real), cudaMemcpyDeviceToHost);
    double sum = 0;
    for (int i = 0; i < n * n; ++i) sum += c[i] * (i % 3 + 1);
    printf("%.6f\n", sum);
    return 0;
}
