// kernel=thin line=6 finding=KO118

__global__ void thin(const float *x, float *y, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = x[2 * n - 1 - 2 * i];
}

void run(const float *x, float *y, int n)
{
    thin<<<(n + 255) / 256, 256>>>(x, y, n);
}
