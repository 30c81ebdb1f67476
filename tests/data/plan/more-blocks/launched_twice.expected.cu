// kernel=axpby line=5 finding=KO111
#include <cstdio>
static const unsigned kBlocks{320};

__global__ void axpby(float *y, const float *x, float a, float b, unsigned n)
{
    for (auto i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) y[i] = a * x[i] + b * y[i];
}

int main()
{
    unsigned n = 1u << 20;
    float *x, *y, first[4];
    cudaMalloc(&x, n * 4);
    cudaMalloc(&y, n * 4);
    cudaMemset(x, 0, n * 4);
    cudaMemset(y, 0, n * 4);
    for (int step = 0; step < 3; ++step) {
        axpby<<<kBlocks, 128>>>(y, x, 2.0f, 0.5f, n);
        axpby<<<kBlocks, 128>>>(x, y, 0.25f, 1.0f, n);
    }
    cudaMemcpy(first, y, sizeof(first), cudaMemcpyDeviceToHost);
    printf("%g\n", first[3]);
}
