// kernel=tiled line=13 finding=KO108
#include <cstdio>

#define T 8

__global__ void tiled(const float *a, const float *b, float *c, int n) {
    __shared__ float s[T][T];
    int row = blockIdx.y * T + threadIdx.y, col = blockIdx.x * T + threadIdx.x;
    float sum = 0;
    for (int t = 0; t < n; t += T) {
        s[threadIdx.y][threadIdx.x] = a[row * n + t + threadIdx.x];
        __syncthreads();
        for (int k = 0; k < T; ++k) sum += s[threadIdx.y][k] * b[(t + k) * n + col];
        __syncthreads();
    }
    c[row * n + col] = sum;
}

int main() {
    const int n = 16;
    float *a, *b, *c;
    cudaMallocManaged(&a, n * n * sizeof(float));
    cudaMallocManaged(&b, n * n * sizeof(float));
    cudaMallocManaged(&c, n * n * sizeof(float));
    for (int i = 0; i < n * n; ++i) a[i] = b[i] = 1;
    tiled<<<dim3(2, 2), dim3(T, T)>>>(a, b, c, n);
    cudaDeviceSynchronize();
    return puts(c[7] == n ? "PASS" : "FAIL"), 0;
}
