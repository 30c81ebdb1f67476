// kernel=shares line=6 finding=KO118
__global__ void shares(const float *x, const float *total, float *y, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        y[i] = x[i] / total[0];
}

void run(const float *x, const float *total, float *y, int n) { shares<<<(n + 255) / 256, 256>>>(x, total, y, n); }
