// kernel=sums line=8 finding=KO111
#include <cstdio>

__global__ void sums(const float *a, float *out, int rows, int cols)
{
    for (int c = threadIdx.x + blockIdx.x * blockDim.x; c < cols; c += blockDim.x * gridDim.x) {
        float sum = 0;
        for (int r = 0; r < rows; ++r) sum += a[r * cols + c];
        out[c] = sum;
    }
}
int main()
{
    float *a, *out;
    cudaMallocManaged(&a, 900 * 64 * sizeof(float));
    cudaMallocManaged(&out, 900 * sizeof(float));
    sums<<<2, 128>>>(a, out, 64, 900);
    cudaDeviceSynchronize();
}
