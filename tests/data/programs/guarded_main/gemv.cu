#include <cuda_runtime.h>
#include <cstdio>

__global__ void gemv_kernel(const float *A, const float *x, float *y, int m, int n)
{
    int r = blockIdx.x * blockDim.x + threadIdx.x;
    if (r >= m) return;
    float acc = 0.f;
    for (int c = 0; c < n; ++c) acc += A[r * n + c] * x[c];
    y[r] = acc;
}

void gemv(const float *A, const float *x, float *y, int m, int n)
{
    gemv_kernel<<<(m + 63) / 64, 64>>>(A, x, y, m, n);
}

#ifdef GEMV_STANDALONE
// nvcc -DGEMV_STANDALONE gemv.cu && ./a.out
int main()
{
    float *p;
    cudaMalloc(&p, 64 * sizeof(float));
    cudaMemset(p, 0, 64 * sizeof(float));
    gemv(p, p + 16, p + 32, 4, 4);
    printf("standalone: %s\n", cudaGetErrorString(cudaDeviceSynchronize()));
    return 0;
}
#endif
