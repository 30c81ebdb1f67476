// kernel=widen line=25 finding=KO111
#include <cstdio>

__global__ void widen(const float *in, float *out, int n, int border) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int j = blockIdx.y * blockDim.y + threadIdx.y;
    if (i >= n || j > n - 2 * border) return;
    float sum = 0;
    for (int k = 0; k < 2 * border; k++) sum += in[(j + k) * border + i % border];
    out[i * n + j] = sum;
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
    for (int border = 2; border < 5; border++) {
        dim3 blocks((n - 10 + 15) / 16, ((n - 10) - 2 * (border + 1) + 1 + 15) / 16);
        widen<<<blocks, dim3(16, 16)>>>(d, o, n - 10, border + 1);
    }
    cudaMemcpy(r, o, sizeof r, cudaMemcpyDeviceToHost);
    double sum = 0;
    for (float v : r) sum += v;
    printf("%g\n", sum);
}
