// kernel=products line=28 finding=KO111
#include <cstdio>

const int BLOCK = 64;

__global__ void products(const float* x, float* g, int features, int samples) {
    const unsigned int p = blockIdx.x * blockDim.x + threadIdx.x;
    const unsigned int q = blockIdx.y * blockDim.y + threadIdx.y;
    if (p < features && q >= p && q < features) {
        float dot = 0.f;
        for (int s = 0; s < samples; s++)
            dot += x[s * features + p] * x[s * features + q];
        g[p * features + q] = dot;
        g[q * features + p] = dot;
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
    products<<<dim3((n + 15) / 16, (n + 15) / 16), dim3(16, 16)>>>(d, o, n, m);
    cudaMemcpy(r, o, sizeof r, cudaMemcpyDeviceToHost);
    double sum = 0;
    for (float v : r) sum += v;
    printf("%g\n", sum);
}
