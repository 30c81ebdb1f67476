// kernel=wide line=9 finding=KO108
#include <cstdio>

__global__ void wide(const float *a, const float *b, float *c, int n) {
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    int col = blockIdx.x * blockDim.x + threadIdx.x;
    if (row < n && col < n) {
        float sum = 0;
        for (int k = 0; k < n; ++k) sum += a[row * n + k] * b[k * n + col];
        c[row * n + col] = sum;
    }
}

int main() {
    const int n = 32;
    float *a, *b, *c;
    cudaMallocManaged(&a, n * n * sizeof(float));
    cudaMallocManaged(&b, n * n * sizeof(float));
    cudaMallocManaged(&c, n * n * sizeof(float));
    for (int i = 0; i < n * n; ++i) a[i] = b[i] = 1;
    wide<<<dim3(1, 4), dim3(32, 8)>>>(a, b, c, n);
    cudaDeviceSynchronize();
    return puts(c[7] == n ? "PASS" : "FAIL"), 0;
}
