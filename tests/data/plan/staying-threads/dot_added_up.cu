// kernel=dot line=14 finding=KO115 technique=block-shuffles
__global__ void dot(const float *x, const float *y, float *result, int n)
{
    extern __shared__ float cache[];
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i >= n) {
        return;
    }

    cache[threadIdx.x] = x[i] * y[i];
    __syncthreads();

    for (int stride = blockDim.x / 2; stride > 0; stride >>= 1) {
        if (threadIdx.x < stride) {
            cache[threadIdx.x] += cache[threadIdx.x + stride];
        }
        __syncthreads();
    }

    if (threadIdx.x == 0) {
        atomicAdd(result, cache[0]);
    }
}

void run(const float *x, const float *y, float *result)
{
    int n = 1 << 22;
    dot<<<(n + 255) / 256, 256, 256 * sizeof(float)>>>(x, y, result, n);
}
