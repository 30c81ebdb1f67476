// kernel=lower line=9 finding=KO108
#include <cstdio>

__global__ void lower(const float *a, const float *b, float *c, int n) {
    int row = blockIdx.y * 8 + threadIdx.y;
    int col = blockIdx.x * 8 + threadIdx.x;
    if (row >= col) {
        float sum = 0;
        for (int k = 0; k < n; ++k) sum += a[row * n + k] * b[k * n + col];
        c[row * n + col] = sum;
    }
}

int main() {
    const int n = 16;
    float *a, *b, *c;
    cudaMallocManaged(&a, n * n * sizeof(float));
    cudaMallocManaged(&b, n * n * sizeof(float));
    cudaMallocManaged(&c, n * n * sizeof(float));
    for (int i = 0; i < n * n; ++i) a[i] = b[i] = 1;
    lower<<<dim3(2, 2), dim3(8, 8)>>>(a, b, c, n);
    cudaDeviceSynchronize();
    return puts(c[n * 7] == n ? "PASS" : "FAIL"), 0;
}
