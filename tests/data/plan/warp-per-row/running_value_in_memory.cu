// kernel=mv line=6 finding=KO101
#include <cstdio>
__global__ void mv(const float *a, const float *x, float *y, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        for (int j = 0; j < n; ++j) y[i] += a[i * n + j] * x[j];
}
int main() {
    float *a, *x, *y;
    cudaMallocManaged(&a, 4096 * 4); cudaMallocManaged(&x, 64 * 4); cudaMallocManaged(&y, 64 * 4);
    for (int i = 0; i < 4096; i++) a[i] = i * 7 % 33;
    for (int i = 0; i < 64; i++) x[i] = y[i] = i;
    mv<<<1, 64>>>(a, x, y, 64);
    cudaDeviceSynchronize();
    printf("%f\n", y[63]);
}
