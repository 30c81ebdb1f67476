// kernel=k line=7 finding=KO101
__global__ void k(float *y, const float *x, int rows, int n)
{
    int r = blockIdx.x * blockDim.x + threadIdx.x;
    if (r >= rows) return;
    for (int j = 1; j < n; j++)
        y[r * n + j] = 0.5f * y[r * n + j - 1] + x[r * n + j];
}

int main()
{
    float *x, *y;
    cudaMalloc(&x, 1000 * 400 * sizeof(float));
    cudaMalloc(&y, 1000 * 400 * sizeof(float));
    k<<<8, 128>>>(y, x, 1000, 400);
    cudaDeviceSynchronize();
}
