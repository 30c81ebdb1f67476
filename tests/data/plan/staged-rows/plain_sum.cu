// kernel=row_sum line=9 finding=KO101
#include <cstdio>
// a warp for each row does more for a plain sum
__global__ void row_sum(const float *x, float *sums, int rows, int n)
{
    int r = blockIdx.x * blockDim.x + threadIdx.x;
    if (r >= rows) return;
    float s = 0;
    for (int i = 0; i < n; i++) s += x[r * n + i];
    sums[r] = s;
}
int main()
{
    const int rows = 64, n = 50;
    static float h[rows * n], r[rows];
    for (int i = 0; i < rows * n; i++) h[i] = i % 7;
    float *x, *s;
    cudaMalloc(&x, sizeof h);
    cudaMalloc(&s, sizeof r);
    cudaMemcpy(x, h, sizeof h, cudaMemcpyHostToDevice);
    row_sum<<<1, 64>>>(x, s, rows, n);
    cudaMemcpy(r, s, sizeof r, cudaMemcpyDeviceToHost);
    printf("%f\n", r[63]);
}
