// kernel=sums_of_rows line=11 finding=KO101
#include <cstdio>
#define DIVUP(a, b) (((a) + (b) - 1) / (b))
static int blocks_of(int total, int size) { return (total + size - 1) / size; }

__global__ void sums_of_rows(const float *x, float *sums, int rows, int cols)
{
    int r = blockIdx.x * blockDim.x + threadIdx.x;
    if (r >= rows) return;
    float s = 0;
    for (int j = 0; j < cols; ++j)
        s += x[r * cols + j];
    sums[r] = s;
}

int main() {
    const int rows = 70, cols = 45, n = rows * cols;
    float *x, *sums, h[n], back[rows];
    for (int i = 0; i < n; i++) h[i] = i * 37 % 101 * 0.25f;
    cudaMalloc(&x, n * sizeof(float));
    cudaMalloc(&sums, rows * sizeof(float));
    cudaMemcpy(x, h, n * sizeof(float), cudaMemcpyHostToDevice);
    sums_of_rows<<<DIVUP(rows, 32), 32>>>(x, sums, rows, cols);
    sums_of_rows<<<DIVUP(rows - 1, 32), 32>>>(x, sums, rows - 1, cols);
    sums_of_rows<<<blocks_of(rows, 32), 32>>>(x, sums, rows, cols);
    cudaMemcpy(back, sums, rows * sizeof(float), cudaMemcpyDeviceToHost);
    float total = 0;
    for (float sum : back) total += sum;
    printf("%.2f\n", total);
    return 0;
}
