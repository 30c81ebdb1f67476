// kernel=norms line=23 finding=KO111
#include <cstdio>

__global__ void norms(const float *a, float *out, int rows, int n)
{
    const int first = threadIdx.x + blockIdx.x * blockDim.x, stride = blockDim.x * gridDim.x;
    const int lane = threadIdx.x % 32;
    for (int r = first / 32; r < rows; r += stride / 32) {
        float sum = 0, most = 0;
        for (int j = lane; j < n; j += 32) {
            sum += a[r * n + j] * a[r * n + j];
            most = fmaxf(most, fabsf(a[r * n + j]));
        }
        for (int offset = 16; offset > 0; offset /= 2) {
            sum += __shfl_xor_sync(0xffffffff, sum, offset);
            most = fmaxf(most, __shfl_xor_sync(0xffffffff, most, offset));
        }
        if (lane == 0) {
            if (most > 0)
                out[r] = sqrtf(sum) / most;
        }
    }
}
int main()
{
    float *a, *out;
    cudaMallocManaged(&a, 900 * 64 * sizeof(float));
    cudaMallocManaged(&out, 900 * sizeof(float));
    for (int i = 0; i < 900 * 64; i++) a[i] = i % 11 - 5;
    norms<<<64, 128>>>(a, out, 900, 64);
    cudaDeviceSynchronize();
    printf("%f\n", out[5]);
}
