// kernel=correlate line=25 finding=KO111
#include <cstdio>

__global__ void correlate(const float *x, float *corr, int n, int m) {
    int a = blockIdx.x * blockDim.x + threadIdx.x;
    int b = blockIdx.y * blockDim.y + threadIdx.y;
    if (a >= n) return;
    if (b == 0) corr[a * n + a] = 1.0f;
    if (b > a && b < n) {
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
    correlate<<<dim3((n + 15) / 16, (n + 15) / 16), dim3(16, 16)>>>(d, o, n, m);
    cudaMemcpy(r, o, sizeof r, cudaMemcpyDeviceToHost);
    double sum = 0;
    for (float v : r) sum += v;
    printf("%g\n", sum);
}
