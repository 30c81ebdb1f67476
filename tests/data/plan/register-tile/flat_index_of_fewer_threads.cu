// kernel=multiply line=10 finding=KO108
#include <cstdio>
// the last elements of a size that 256 does not divide are left as they are
__global__ void multiply(const float *a, const float *b, float *c, int m, int n, int p) {
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    if (t < m * p) {
        int i = t / p;
        int j = t % p;
        float s = 0;
        for (int k = 0; k < n; k++) s += a[i * n + k] * b[k * p + j];
        c[t] = s;
    }
}
int main() {
    int m = 30, n = 20, p = 40;
    float *a, *b, *c;
    cudaMallocManaged(&a, m * n * 4);
    cudaMallocManaged(&b, n * p * 4);
    cudaMallocManaged(&c, m * p * 4);
    for (int i = 0; i < m * n; ++i) a[i] = i % 5;
    for (int i = 0; i < n * p; ++i) b[i] = i % 3;
    multiply<<<m * p / 256, 256>>>(a, b, c, m, n, p);
    cudaDeviceSynchronize();
    printf("%f\n", c[65]);
}
