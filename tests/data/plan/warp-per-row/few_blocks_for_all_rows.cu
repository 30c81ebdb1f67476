// kernel=norms line=23 finding=KO111
#include <cstdio>

__global__ void norms(const float *a, float *out, int rows, int n)
{
    const int first = threadIdx.x + blockIdx.x * blockDim.x, stride = blockDim.x * gridDim.x;
    for (int r = first; r < rows; r += stride) {
        float sum = 0, most = 0;
        for (int j = 0; j < n; ++j) {
            sum += a[r * n + j] * a[r * n + j];
            most = fmaxf(most, fabsf(a[r * n + j]));
        }
        if (most > 0)
            out[r] = sqrtf(sum) / most;
    }
}
int main()
{
    float *a, *out;
    cudaMallocManaged(&a, 900 * 64 * sizeof(float));
    cudaMallocManaged(&out, 900 * sizeof(float));
    for (int i = 0; i < 900 * 64; i++) a[i] = i % 11 - 5;
    norms<<<2, 128>>>(a, out, 900, 64);
    cudaDeviceSynchronize();
    printf("%f\n", out[5]);
}
