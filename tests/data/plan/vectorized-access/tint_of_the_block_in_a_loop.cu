// kernel=tinted line=6 finding=KO118
// which block has an element changes with its stride
__global__ void tinted(float *x, const float *tint, int n)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        x[i] *= tint[blockIdx.x];
}

void run(float *x, const float *tint, int n) { tinted<<<64, 256>>>(x, tint, n); }
