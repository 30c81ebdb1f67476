// kernel=k line=8 finding=KO101
__global__ void k(double *y, const double *x, int rows, int n)
{
    int r = blockIdx.x * blockDim.x + threadIdx.x;
    if (r >= rows) return;
    double s = 0.0;
    for (int j = 0; j < n; j++) {
        s = 0.5 * s + x[r * n + j];
        y[r * n + j] = s;
    }
}

int main()
{
    double *x, *y;
    cudaMalloc(&x, 1000 * 400 * sizeof(double));
    cudaMalloc(&y, 1000 * 400 * sizeof(double));
    k<<<1, 1024>>>(y, x, 1000, 400);
    cudaDeviceSynchronize();
}
