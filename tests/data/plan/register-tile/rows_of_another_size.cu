// kernel=multiply line=9 finding=KO108
#include <cstdio>
#define W 16
// no bounds check, and the grid follows from a padded size that the kernel never hears of
__global__ void multiply(const float *a, const float *b, float *c, int n) {
    int row = blockIdx.y * W + threadIdx.y;
    int col = blockIdx.x * W + threadIdx.x;
    float s = 0.0f;
    for (int k = 0; k < n; k++) s += a[row * n + k] * b[k * n + col];
    c[row * n + col] = s;
}
void product(const float *a, const float *b, float *c, int n, int padded) {
    dim3 grid(padded / W, padded / W);
    multiply<<<grid, dim3(W, W)>>>(a, b, c, n);
}
int main() {
    float *a, *b, *c;
    cudaMallocManaged(&a, 64 * 64 * 4);
    cudaMallocManaged(&b, 64 * 64 * 4);
    cudaMallocManaged(&c, 64 * 64 * 4);
    for (int i = 0; i < 64 * 64; ++i) a[i] = i % 5, b[i] = i % 3;
    product(a, b, c, 64, 64);
    cudaDeviceSynchronize();
    printf("%f\n", c[65]);
}
