// kernel=add_product line=11 finding=KO107
#include <cstdio>

// D = beta * D + T * C
__global__ void add_product(int n, float beta, const float *T, const float *C, float *D) {
    int i = blockIdx.y * blockDim.y + threadIdx.y;
    int j = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n && j < n) {
        float d_acc = D[i * n + j] / (1.0f + beta);
        for (int k = 0; k < n; k++)
            d_acc += T[i * n + k] * C[k * n + j];
        D[i * n + j] = d_acc;
    }
}

int main() {
    const int n = 20;
    float *t, *c, *d;
    cudaMalloc(&t, n * n * sizeof(float));
    cudaMalloc(&c, n * n * sizeof(float));
    cudaMalloc(&d, n * n * sizeof(float));
    float h[n * n];
    for (int i = 0; i < n * n; ++i) h[i] = i % 7 - 3;
    cudaMemcpy(t, h, sizeof h, cudaMemcpyHostToDevice);
    cudaMemcpy(c, h, sizeof h, cudaMemcpyHostToDevice);
    cudaMemcpy(d, h, sizeof h, cudaMemcpyHostToDevice);
    add_product<<<dim3(2, 3), dim3(16, 8)>>>(n, 1.5f, t, c, d);
    cudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost);
    float sum = 0;
    for (float v : h) sum += v;
    printf("%g\n", sum);
}
