// kernel=variances line=13 finding=KO115
#include <cstdio>
#include <cmath>

#define NT 128

/* every thread gets the sum over the block */
static __device__ float block_sum(float value, float *scratch)
{
    int t = threadIdx.x;
    scratch[t] = value;
    __syncthreads();
    for (int half = NT / 2; half > 0; half >>= 1) {
        if (t < half)
            scratch[t] += scratch[t + half];
        __syncthreads();
    }
    float total = scratch[0];
    __syncthreads();
    return total;
}

__global__ void variances(const float *x, float *out, int n)
{
    __shared__ float scratch[NT];
    const float *row = x + blockIdx.x * n;
    float sum = 0.f, squares = 0.f;
    for (int i = threadIdx.x; i < n; i += NT) sum += row[i];
    float mean = block_sum(sum, scratch) / n;
    for (int i = threadIdx.x; i < n; i += NT) squares += (row[i] - mean) * (row[i] - mean);
    float all = block_sum(squares, scratch);
    if (threadIdx.x == 0) out[blockIdx.x] = all / n;
}

int main()
{
    const int rows = 24, n = 1000;
    float *x, *out;
    cudaMallocManaged(&x, rows * n * sizeof(float));
    cudaMallocManaged(&out, rows * sizeof(float));
    for (int i = 0; i < rows * n; i++) x[i] = (i * 37 % 101) * 0.01f;
    variances<<<rows, NT>>>(x, out, n);
    cudaDeviceSynchronize();
    printf("%f\n", out[rows - 1]);
}
