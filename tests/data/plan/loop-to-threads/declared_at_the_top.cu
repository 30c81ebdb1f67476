// kernel=product line=30 finding=KO111
#include <cstdio>

__global__ void product(const float *A, float *C, int n, int m)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int k;
    float sum;

    if (i >= n)
        return;
    for (int j = 0; j < n; j++) {
        sum = 0;
        for (k = 0; k < m; k++)
            sum += A[i * m + k] * A[k * n + j];
        C[i * n + j] = sum;
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
    const dim3 grid((n + 63) / 64), block(64);
    product<<<grid, block>>>(d, o, n, m);
    cudaMemcpy(r, o, sizeof r, cudaMemcpyDeviceToHost);
    double sum = 0;
    for (float v : r) sum += v;
    printf("%g\n", sum);
}
