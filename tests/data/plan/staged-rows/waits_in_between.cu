// kernel=k line=8 finding=KO101
__global__ void k(float *y, const float *x, int rows, int n)
{
    __shared__ float last[128];
    int r = blockIdx.x * blockDim.x + threadIdx.x;
    float s = 0.0f;
    for (int j = 0; j < n; j++) {
        s = 0.5f * s + x[r * n + j];
        y[r * n + j] = s;
    }
    last[threadIdx.x] = s;
    __syncthreads();
    if (threadIdx.x > 0) y[r * n] -= last[threadIdx.x - 1];
}

int main()
{
    float *x, *y;
    cudaMalloc(&x, 1000 * 400 * sizeof(float));
    cudaMalloc(&y, 1000 * 400 * sizeof(float));
    k<<<8, 128>>>(y, x, 1000, 400);
    cudaDeviceSynchronize();
}
