// kernel=dot line=16 finding=KO110
#include <cstdio>

__global__ void dot(const float *__restrict__ a, const float *__restrict__ b, float *result, int n)
{
    __shared__ float block_sum;
    if (threadIdx.x == 0) block_sum = 0.0f;
    __syncthreads();
    float sum = 0.0f;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        sum += a[i] * b[i];
    for (int offset = 16; offset > 0; offset >>= 1)
        sum += __shfl_down_sync(0xffffffff, sum, offset);
    if ((threadIdx.x & 31) == 0) atomicAdd(&block_sum, sum);
    __syncthreads();
    if (threadIdx.x == 0) atomicAdd(result, block_sum);
}

int main()
{
    const int n = 12000;
    float *a, *b, *result;
    cudaMallocManaged(&a, n * sizeof(float));
    cudaMallocManaged(&b, n * sizeof(float));
    cudaMallocManaged(&result, sizeof(float));
    for (int i = 0; i < n; i++) {
        a[i] = (i % 4) * 0.5f;
        b[i] = 2.0f - i % 3;
    }
    *result = 0.0f;
    dot<<<20, 256>>>(a, b, result, n);
    cudaDeviceSynchronize();
    printf("%.2f\n", *result);
    return 0;
}
