// kernel=accumulate line=23 finding=KO111
#include <cstdio>

__global__ void accumulate(const float *in, float *out, int rows, int cols, int taps) {
    int c = blockIdx.x * blockDim.x + threadIdx.x;
    if (c >= cols) return;
    const float scale = in[c];
    for (int r = 0; r < rows - taps; r++) {
        for (int t = 0; t < taps; t++)
            out[r * cols + c] += scale * in[(r + t) * cols + c];
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
    accumulate<<<2, 32>>>(d, o, m, 50, 4);
    accumulate<<<1, 64>>>(d, o, m, 50, 3);
    cudaMemcpy(r, o, sizeof r, cudaMemcpyDeviceToHost);
    double sum = 0;
    for (float v : r) sum += v;
    printf("%g\n", sum);
}
