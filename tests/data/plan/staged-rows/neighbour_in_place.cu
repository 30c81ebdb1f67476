// kernel=prefix line=9 finding=KO101
#include <cstdio>
// reads what the iteration before has stored
__global__ void prefix(float *x, int rows, int n)
{
    int r = blockIdx.x * blockDim.x + threadIdx.x;
    if (r >= rows) return;
    for (int i = 1; i < n; i++)
        x[r * n + i] = 0.5f * x[r * n + i - 1] + x[r * n + i];
}
int main()
{
    const int rows = 64, n = 50;
    static float h[rows * n];
    for (int i = 0; i < rows * n; i++) h[i] = i % 7;
    float *x;
    cudaMalloc(&x, sizeof h);
    cudaMemcpy(x, h, sizeof h, cudaMemcpyHostToDevice);
    prefix<<<1, 64>>>(x, rows, n);
    cudaMemcpy(h, x, sizeof h, cudaMemcpyDeviceToHost);
    printf("%f\n", h[rows * n - 1]);
}
