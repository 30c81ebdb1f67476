// kernel=best line=8 finding=KO101
#include <cstdio>
__global__ void best(const float *in, int *where, int n, int m) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float most = in[i];
    int at = 0;
    for (int j = 1; j < m; ++j) {
        if (in[j * n + i] > most) { most = in[j * n + i]; at = j; }
    }
    where[i] = at;
}
int main() {
    float *a; int *b;
    cudaMallocManaged(&a, 4096 * 4); cudaMallocManaged(&b, 64 * 4);
    for (int i = 0; i < 4096; i++) a[i] = i * 7 % 33;
    best<<<2, 32>>>(a, b, 64, 64);
    cudaDeviceSynchronize();
    printf("%d\n", b[63]);
}
