// kernel=column_norm line=10 finding=KO118
#include <cstdio>

// neighbouring threads have neighbouring rows, not neighbouring elements
__global__ void column_norm(const double *a, double *norm, int rows, int columns)
{
    __shared__ double buf[64];
    int c = blockIdx.x, t = threadIdx.x;
    double s = 0;
    for (int r = t; r < rows; r += 64)
        s += a[r * columns + c] * a[r * columns + c];
    buf[t] = s;
    __syncthreads();
    for (int h = 32; h > 0; h >>= 1) {
        if (t < h) buf[t] += buf[t + h];
        __syncthreads();
    }
    if (t == 0) norm[c] = sqrt(buf[0]);
}

int main()
{
    const int rows = 90, columns = 40;
    static double h[rows * columns], n[columns];
    for (int i = 0; i < rows * columns; i++) h[i] = i % 19;
    double *a, *y;
    cudaMalloc(&a, sizeof h);
    cudaMalloc(&y, sizeof n);
    cudaMemcpy(a, h, sizeof h, cudaMemcpyHostToDevice);
    column_norm<<<columns, 64>>>(a, y, rows, columns);
    cudaMemcpy(n, y, sizeof n, cudaMemcpyDeviceToHost);
    for (double each : n) printf("%.4f\n", each);
}
