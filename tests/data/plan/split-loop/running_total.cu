// kernel=scan_rows line=7 finding=KO101
#include <cstdio>
__global__ void scan_rows(const float *in, float *out, int n, int m) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float total = 0;
    for (int j = 0; j < m; ++j) {
        total += in[i * m + j];
        out[i * m + j] = total;
    }
}
int main() {
    float *a, *b;
    cudaMallocManaged(&a, 4096 * 4); cudaMallocManaged(&b, 4096 * 4);
    for (int i = 0; i < 4096; i++) a[i] = i % 3;
    scan_rows<<<2, 32>>>(a, b, 64, 64);
    cudaDeviceSynchronize();
    printf("%f\n", b[4095]);
}
