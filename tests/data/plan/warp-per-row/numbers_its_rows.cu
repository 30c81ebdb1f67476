// kernel=norms line=8 finding=KO101
#include <cstdio>

__global__ void norms(const float *a, float *out, int rows, int n)
{
    int turn = 0;
    for (int r = threadIdx.x + blockIdx.x * blockDim.x; r < rows; r += blockDim.x * gridDim.x) {
        float sum = 0;
        for (int j = 0; j < n; ++j) sum += a[r * n + j] * a[r * n + j];
        turn++;
        out[r] = sum * turn;
    }
}
int main()
{
    float *a, *out;
    cudaMallocManaged(&a, 900 * 64 * sizeof(float));
    cudaMallocManaged(&out, 900 * sizeof(float));
    norms<<<2, 128>>>(a, out, 900, 64);
    cudaDeviceSynchronize();
}
