// kernel=k line=9 finding=KO101
__global__ void k(float *y, const float *x, int rows, int n)
{
    int r = blockIdx.x * blockDim.x + threadIdx.x;
    if (r >= rows) return;
    int used = n - r % 7;
    float s = 0.0f;
    for (int j = 0; j < used; j++) {
        s = 0.5f * s + x[r * n + j];
        y[r * n + j] = s;
    }
}

int main()
{
    float *x, *y;
    cudaMalloc(&x, 1000 * 400 * sizeof(float));
    cudaMalloc(&y, 1000 * 400 * sizeof(float));
    k<<<8, 128>>>(y, x, 1000, 400);
    cudaDeviceSynchronize();
}
