// kernel=correlate line=25 finding=KO111
#include <cstdio>

__global__ void correlate(const float *x, float *corr, int n, int m) {
    int a = blockIdx.x * blockDim.x + threadIdx.x;
    if (a >= n) return;
    corr[a * n + a] = 1.0f;
    for (int b = a + 1; b < n; b++) {
        float c = 0;
        for (int i = 0; i < m; i++) c += x[i * n + a] * x[i * n + b];
        corr[a * n + b] = c;
        corr[b * n + a] = c;
    }
}

int main() {
    const int n = 70, m = 50;
    static float h[n * m], r[n * n];
    for (int i = 0; i < n * m; ++i) h[i] = i % 11 - 4;
    float *d, *o;
    cudaMalloc(&d, sizeof h);
    cudaMalloc(&o, sizeof r);
    cudaMemcpy(d, h, sizeof h, cudaMemcpyHostToDevice);
    cudaMemset(o, 0, sizeof r);
    correlate<<<(n + 31) / 32, 32>>>(d, o, n, m);
    cudaMemcpy(r, o, sizeof r, cudaMemcpyDeviceToHost);
    double sum = 0;
    for (float v : r) sum += v;
    printf("%g\n", sum);
}
