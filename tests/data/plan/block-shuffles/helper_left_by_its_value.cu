// kernel=variance line=9 finding=KO115
#define T 64

__device__ float block_sum(float v, float *scratch)
{
    if (v < 0) return 0;
    scratch[threadIdx.x] = v;
    __syncthreads();
    for (int k = T / 2; k > 0; k >>= 1) {
        if (threadIdx.x < k) scratch[threadIdx.x] += scratch[threadIdx.x + k];
        __syncthreads();
    }
    return scratch[0];
}

__global__ void variance(const float *x, float *out)
{
    __shared__ float buffer[T];
    float mean = block_sum(x[blockIdx.x * T + threadIdx.x], buffer);
    if (threadIdx.x == 0)
        out[blockIdx.x] = mean;
}

void run(const float *x, float *out, int rows) { variance<<<rows, T>>>(x, out); }
