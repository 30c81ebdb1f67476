// Already good: coalesced, read-only inputs, full blocks. Nothing to propose.
#include <cstdio>
#include <vector>

__global__ void saxpy(int n, float a, const float *__restrict__ x, float *__restrict__ y)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = a * x[i] + y[i];
}

int main()
{
    const int n = 1 << 16;
    std::vector<float> x(n, 1.0f), y(n, 2.0f);
    float *dx, *dy;
    cudaMalloc(&dx, n * sizeof(float));
    cudaMalloc(&dy, n * sizeof(float));
    cudaMemcpy(dx, x.data(), n * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemcpy(dy, y.data(), n * sizeof(float), cudaMemcpyHostToDevice);
    saxpy<<<(n + 255) / 256, 256>>>(n, 2.0f, dx, dy);
    cudaMemcpy(y.data(), dy, n * sizeof(float), cudaMemcpyDeviceToHost);
    float error = 0.0f;
    for (float v : y) error = v - 4.0f > error ? v - 4.0f : error;
    printf("max error %f\n", error);
    cudaFree(dx);
    cudaFree(dy);
    return error != 0.0f;
}
