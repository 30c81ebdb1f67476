// kernel=spread line=29 finding=KO111
#include <cstdio>

__global__ void fill(float *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = 1;
}

__global__ void spread(const float *in, float *out, int n, int m) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    for (int j = 0; j < n; j++) {
        float best = in[i];
        for (int k = 1; k < m; k++) best = fmaxf(best, in[k * n + i] - in[k * n + j]);
        out[j * n + i] = best;
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
    dim3 grid((n + 63) / 64), block(64);
    fill<<<grid, block>>>(o, n);
    spread<<<grid, block>>>(d, o, n, m);
    cudaMemcpy(r, o, sizeof r, cudaMemcpyDeviceToHost);
    double sum = 0;
    for (float v : r) sum += v;
    printf("%g\n", sum);
}
