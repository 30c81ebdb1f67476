// kernel=total line=7 finding=KO112
#include <cstdio>
struct Out { double *sum; int *count; };
__global__ void total(const float *a, Out out, int n)
{
    double sum = 0;
    for (int i = 0; i < n; i++) sum += a[i];
    out.sum[0] += sum;
    out.count[0] = n;
}
int main()
{
    float *a;
    Out out;
    cudaMallocManaged(&a, 5000 * sizeof(float));
    cudaMallocManaged(&out.sum, sizeof(double));
    cudaMallocManaged(&out.count, sizeof(int));
    for (int i = 0; i < 5000; i++) a[i] = i % 13;
    total<<<1, 1>>>(a, out, 5000);
    cudaDeviceSynchronize();
    printf("%f %d\n", out.sum[0], out.count[0]);
}
