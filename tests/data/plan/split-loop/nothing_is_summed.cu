// kernel=copy_columns line=6 finding=KO111
#include <cstdio>
__global__ void copy_columns(const float *in, float *out, int n, int m) {
    int c = blockIdx.x * blockDim.x + threadIdx.x;
    if (c >= m) return;
    for (int j = 0; j < n; ++j) {
        out[j * m + c] = 2 * in[j * m + c];
    }
}
int main() {
    float *a, *b;
    cudaMallocManaged(&a, 4096 * 4); cudaMallocManaged(&b, 4096 * 4);
    for (int i = 0; i < 4096; i++) a[i] = i % 3;
    copy_columns<<<2, 32>>>(a, b, 64, 64);
    cudaDeviceSynchronize();
    printf("%f\n", b[63]);
}
