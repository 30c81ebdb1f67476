// kernel=walk line=10 finding=KO101
#include <cstdio>
// neighbouring threads have neighbouring elements already
__global__ void walk(const float *x, float *out, int columns, int rows)
{
    int c = blockIdx.x * blockDim.x + threadIdx.x;
    if (c >= columns) return;
    float state = 0;
    for (int r = 0; r < rows; r++)
        state = 0.9f * state + x[r * columns + c] * state;
    out[c] = state;
}
int main()
{
    const int columns = 64, rows = 50;
    static float h[rows * columns], o[columns];
    for (int i = 0; i < rows * columns; i++) h[i] = i % 7;
    float *x, *y;
    cudaMalloc(&x, sizeof h);
    cudaMalloc(&y, sizeof o);
    cudaMemcpy(x, h, sizeof h, cudaMemcpyHostToDevice);
    walk<<<1, 64>>>(x, y, columns, rows);
    cudaMemcpy(o, y, sizeof o, cudaMemcpyDeviceToHost);
    printf("%f\n", o[63]);
}
