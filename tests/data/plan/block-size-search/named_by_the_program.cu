// kernel=dot line=32 finding=KO111
#include <cstdio>
#include <vector>

#define THREADS 256

__global__ void dot(const float *a, const float *b, float *partial, int n)
{
    __shared__ float cache[THREADS];
    float sum = 0.0f;
    for (int i = threadIdx.x + blockIdx.x * blockDim.x; i < n; i += blockDim.x * gridDim.x) sum += a[i] * b[i];
    cache[threadIdx.x] = sum;
    __syncthreads();
    for (int i = blockDim.x / 2; i != 0; i /= 2) {
        if (threadIdx.x < i) cache[threadIdx.x] += cache[threadIdx.x + i];
        __syncthreads();
    }
    if (threadIdx.x == 0) partial[blockIdx.x] = cache[0];
}

int main()
{
    const int n = 20000, blocks = 16;
    std::vector<float> a(n), b(n), partial(blocks);
    for (int i = 0; i < n; ++i) a[i] = i % 13 + 1, b[i] = (i % 5 + 1) * 0.5f;
    float *d_a, *d_b, *d_partial;
    cudaMalloc(&d_a, n * sizeof(float));
    cudaMalloc(&d_b, n * sizeof(float));
    cudaMalloc(&d_partial, blocks * sizeof(float));
    cudaMemcpy(d_a, a.data(), n * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemcpy(d_b, b.data(), n * sizeof(float), cudaMemcpyHostToDevice);
    dot<<<blocks, THREADS>>>(d_a, d_b, d_partial, n);
    cudaMemcpy(partial.data(), d_partial, blocks * sizeof(float), cudaMemcpyDeviceToHost);
    float c = 0;
    for (int i = 0; i < blocks; i++) c += partial[i];
    printf("dot = %.0f\n", c);
    return 0;
}
