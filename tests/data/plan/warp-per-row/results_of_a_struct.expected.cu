// kernel=measure line=10 finding=KO101
#include <cstdio>
struct Results { float *sum, *biggest; };
__global__ void measure(const float *a, Results out, int rows, int cols)
{
    int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
    const int lane = threadIdx.x % 32;
    if (row >= rows) return;
    float sum = 0, biggest = 0;
    for (int k = lane; k < cols; k += 32) {
        sum += a[row * cols + k];
        biggest = fmaxf(biggest, a[row * cols + k]);
    }
    for (int offset = 16; offset > 0; offset /= 2) {
        sum += __shfl_xor_sync(0xffffffff, sum, offset);
        biggest = fmaxf(biggest, __shfl_xor_sync(0xffffffff, biggest, offset));
    }
    if (lane == 0) {
        out.sum[row] += sum;
        out.biggest[row] = biggest;
    }
}
int main()
{
    float *a;
    Results out;
    cudaMallocManaged(&a, 300 * 100 * sizeof(float));
    cudaMallocManaged(&out.sum, 300 * sizeof(float));
    cudaMallocManaged(&out.biggest, 300 * sizeof(float));
    for (int i = 0; i < 300 * 100; i++) a[i] = i * 7 % 30;
    measure<<<(300 + 3) / 4, 128>>>(a, out, 300, 100);
    cudaDeviceSynchronize();
    printf("%f %f\n", out.sum[3], out.biggest[4]);
}
