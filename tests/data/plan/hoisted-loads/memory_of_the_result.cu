// kernel=gained line=7 finding=KO113
__global__ void gained(float *y, const float *x, const float *gain, int n, int steps)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    for (int t = 0; t < steps; ++t)
        y[t * n + i] = gain[i] * x[t * n + i];
}

int main()
{
    float *y, *x;
    cudaMalloc(&y, 4 * 1000 * 51);
    cudaMalloc(&x, 4 * 1000 * 50);
    gained<<<8, 128>>>(y, x, y + 1000 * 50, 1000, 50);
}
