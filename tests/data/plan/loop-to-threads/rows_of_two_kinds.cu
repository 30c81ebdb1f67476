// kernel=k line=20 finding=KO111
#include <cstdio>

__global__ void k(const float *x, float *y, int n, int m) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n + m) return;
    for (int j = 0; j < m; j++) y[i * m + j] = x[j] + x[i * m + j];
}

int main(int argc, char **) {
    const int n = 70, m = 50;
    static float h[n * m], r[n * n];
    for (int i = 0; i < n * m; ++i) h[i] = i % 11 - 4;
    float *d, *o;
    cudaMalloc(&d, sizeof h);
    cudaMalloc(&o, sizeof r);
    cudaMemcpy(d, h, sizeof h, cudaMemcpyHostToDevice);
    cudaMemset(o, 0, sizeof r);
    int rows = argc > 5 ? 3 : 40, more = argc > 5 ? 8 : 20;
    k<<<(2 * rows + 63) / 64, 64>>>(d, o, rows, more);
    cudaMemcpy(r, o, sizeof r, cudaMemcpyDeviceToHost);
    double sum = 0;
    for (float v : r) sum += v;
    printf("%g\n", sum);
}
