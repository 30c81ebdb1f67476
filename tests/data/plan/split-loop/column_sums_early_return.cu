// kernel=column_sums line=7 finding=KO111
#include <cstdio>
__global__ void column_sums(const float *in, float *out, int n, int m) {
    int c = blockIdx.x * blockDim.x + threadIdx.x;
    if (c >= m) return;
    float total = 0;
    for (int j = 0; j < n; ++j) {
        total += in[j * m + c];
    }
    out[c] = total;
}
int main() {
    float *a, *b;
    cudaMallocManaged(&a, 4096 * 4); cudaMallocManaged(&b, 64 * 4);
    for (int i = 0; i < 4096; i++) a[i] = i % 3;
    column_sums<<<2, 32>>>(a, b, 64, 64);
    cudaDeviceSynchronize();
    printf("%f\n", b[63]);
}
