// kernel=total line=7 finding=KO112
#include <cstdio>
struct Out { double *sum; int *count; };
__global__ void total(const float *a, Out out, int n)
{
    double sum = 0;
    for (int i = threadIdx.x; i < n; i += 256) sum += a[i];
    for (int offset = 16; offset > 0; offset /= 2)
        sum += __shfl_down_sync(0xffffffff, sum, offset);
    __shared__ double warp_sum[8];
    if (threadIdx.x % 32 == 0)
        warp_sum[threadIdx.x / 32] = sum;
    __syncthreads();
    sum = warp_sum[0];
    for (int warp = 1; warp < 8; warp++)
        sum += warp_sum[warp];
    if (threadIdx.x == 0) {
        out.sum[0] += sum;
        out.count[0] = n;
    }
}
int main()
{
    float *a;
    Out out;
    cudaMallocManaged(&a, 5000 * sizeof(float));
    cudaMallocManaged(&out.sum, sizeof(double));
    cudaMallocManaged(&out.count, sizeof(int));
    for (int i = 0; i < 5000; i++) a[i] = i % 13;
    total<<<1, 256>>>(a, out, 5000);
    cudaDeviceSynchronize();
    printf("%f %d\n", out.sum[0], out.count[0]);
}
