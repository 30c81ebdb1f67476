// kernel=smooth line=6 finding=KO101
#include <cstdio>
__global__ void smooth(float *a, int n, int m) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    for (int j = 1; j < m; ++j)
        a[i * m + j] = 0.5f * (a[i * m + j - 1] + a[i * m + j]);
}
int main() {
    float *a;
    cudaMallocManaged(&a, 4096 * 4);
    for (int i = 0; i < 4096; i++) a[i] = i * 7 % 33;
    smooth<<<2, 32>>>(a, 64, 64);
    cudaDeviceSynchronize();
    printf("%f\n", a[4095]);
}
