// kernel=atb line=11 finding=KO111
#include <cstdio>
#include <cstdlib>

// y += A^T b
__global__ void atb(const double *A, const double *b, double *y, int m, int n)
{
    int j = blockIdx.x * blockDim.x + threadIdx.x;
    if (j < n) {
        double acc = 0;
        const int share = (m + gridDim.y - 1) / gridDim.y, begin = blockIdx.y * share, end = min(m, begin + share);
        for (int i = begin; i < end; ++i)
            acc += A[(size_t)i * n + j] * b[i];
        atomicAdd(&y[j], acc);
    }
}

int main()
{
    int m = 600, n = 200;
    double *A, *b, *y;
    cudaMallocManaged(&A, sizeof(double) * m * n);
    cudaMallocManaged(&b, sizeof(double) * m);
    cudaMallocManaged(&y, sizeof(double) * n);
    for (int i = 0; i < m * n; i++) A[i] = (i % 13) * 0.25;
    for (int i = 0; i < m; i++) b[i] = (i % 5) - 2;
    for (int j = 0; j < n; j++) y[j] = j;
    atb<<<dim3((n + 127) / 128, 32), 128>>>(A, b, y, m, n);
    cudaDeviceSynchronize();
    double total = 0;
    for (int j = 0; j < n; j++) total += y[j];
    printf("%.6f\n", total);
    return 0;
}
