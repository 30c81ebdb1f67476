// kernel=dot line=14 finding=KO115 technique=block-shuffles
__global__ void dot(const float *x, const float *y, float *result, int n)
{
    extern __shared__ float cache[];
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    float value = i < n ? x[i] * y[i] : 0.0f;
    for (int offset = 16; offset > 0; offset /= 2)
        value += __shfl_down_sync(0xffffffff, value, offset);
    if (threadIdx.x % 32 == 0)
        cache[threadIdx.x / 32] = value;
    __syncthreads();
    if (threadIdx.x == 0) {
        for (int warp = 1; warp < 8; warp++)
            value += cache[warp];
        atomicAdd(result, value);
    }
}

void run(const float *x, const float *y, float *result)
{
    int n = 1 << 22;
    dot<<<(n + 255) / 256, 256, 256 * sizeof(float)>>>(x, y, result, n);
}
