// kernel=axpy line=15 finding=KO101
#include <cstdio>
#include <cstdlib>

// y += a * x; the last thread takes what is left over
__global__ void axpy(double a, const double *x, double *y, long n)
{
    long tid = blockIdx.x * (long)blockDim.x + threadIdx.x;

    for (long j = tid; j < n; j += gridDim.x * blockDim.x)
        y[j] = y[j] + a * x[j];
}

int main(void)
{
    long n = 12345;
    double *hx = (double *)malloc(n * 8), *hy = (double *)malloc(n * 8), *x, *y;
    for (long i = 0; i < n; i++) { hx[i] = i % 7; hy[i] = i % 5; }
    cudaMalloc(&x, n * 8);
    cudaMalloc(&y, n * 8);
    cudaMemcpy(x, hx, n * 8, cudaMemcpyHostToDevice);
    cudaMemcpy(y, hy, n * 8, cudaMemcpyHostToDevice);
    axpy<<<4, 96>>>(2.0, x, y, n);
    cudaMemcpy(hy, y, n * 8, cudaMemcpyDeviceToHost);
    int bad = 0;
    for (long i = 0; i < n; i++) bad += hy[i] != i % 5 + 2.0 * (i % 7);
    printf("%s\n", bad ? "FAIL" : "PASS");
    return bad != 0;
}
