// kernel=accumulate line=8 finding=KO108
#include <cstdio>

__global__ void accumulate(const float *a, const float *b, float *c, int n) {
    int row = blockIdx.y * 8 + threadIdx.y;
    int col = blockIdx.x * 8 + threadIdx.x;
    if (row < n && col < n) {
        for (int k = 0; k < n; ++k) c[row * n + col] += a[row * n + k] * b[k * n + col];
    }
}

int main() {
    const int n = 16;
    float *a, *b, *c;
    cudaMallocManaged(&a, n * n * sizeof(float));
    cudaMallocManaged(&b, n * n * sizeof(float));
    cudaMallocManaged(&c, n * n * sizeof(float));
    for (int i = 0; i < n * n; ++i) { a[i] = b[i] = 1; c[i] = 0; }
    accumulate<<<dim3(2, 2), dim3(8, 8)>>>(a, b, c, n);
    cudaDeviceSynchronize();
    return puts(c[7] == n ? "PASS" : "FAIL"), 0;
}
