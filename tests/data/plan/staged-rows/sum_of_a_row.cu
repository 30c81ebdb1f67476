// kernel=k line=8 finding=KO101
__global__ void k(float *y, const float *x, int rows, int n)
{
    int r = blockIdx.x * blockDim.x + threadIdx.x;
    if (r >= rows) return;
    float s = 0.0f;
    for (int j = 0; j < n; j++)
        s += x[r * n + j];
    y[r] = s;
}

int main()
{
    float *x, *y;
    cudaMalloc(&x, 1000 * 400 * sizeof(float));
    cudaMalloc(&y, 1000 * 400 * sizeof(float));
    k<<<8, 128>>>(y, x, 1000, 400);
    cudaDeviceSynchronize();
}
