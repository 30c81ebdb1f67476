// kernel=first_spike line=9 finding=KO101
#include <cstdio>
// leaves the row where it finds something: what stands behind may not be there
__global__ void first_spike(const float *x, int *at, int rows, int n)
{
    int r = blockIdx.x * blockDim.x + threadIdx.x;
    if (r >= rows) return;
    int found = -1;
    for (int i = 0; i < n; i++) if (x[r * n + i] > 0.9f) { found = i; break; }
    at[r] = found;
}
int main()
{
    const int rows = 64, n = 50;
    static float h[rows * n];
    for (int i = 0; i < rows * n; i++) h[i] = (i * 17 % 101) / 101.0f;
    float *x; int *at, r[rows];
    cudaMalloc(&x, sizeof h);
    cudaMalloc(&at, sizeof r);
    cudaMemcpy(x, h, sizeof h, cudaMemcpyHostToDevice);
    first_spike<<<1, 64>>>(x, at, rows, n);
    cudaMemcpy(r, at, sizeof r, cudaMemcpyDeviceToHost);
    printf("%d %d\n", r[0], r[63]);
}
