// kernel=cross line=15 finding=KO108
#include <cstdio>
#include <cstdlib>

// flags has room for all threads of the grid, of which more are behind the last column than there are now with larger tiles
__global__ void cross(const float *a, const float *b, float *out, int *flags, int rows, int cols, int inner)
{
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    int col = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= rows) return;
    flags[col] = 1;
    if (col < cols) {
        float sum = 0;
        for (int k = 0; k < inner; k++)
            sum += a[row * inner + k] * b[k * cols + col];
        out[row * cols + col] = sum;
    }
}

int main()
{
    const int rows = 60, cols = 50, inner = 40;
    float *a, *b, *out, host[rows];
    int *flags;
    cudaMalloc(&a, rows * inner * sizeof(float));
    cudaMalloc(&b, inner * cols * sizeof(float));
    cudaMalloc(&out, rows * cols * sizeof(float));
    cudaMalloc(&flags, 64 * sizeof(int));
    cudaMemset(a, 1, rows * inner * sizeof(float));
    cudaMemset(b, 1, inner * cols * sizeof(float));
    cross<<<dim3(4, 4), dim3(16, 16)>>>(a, b, out, flags, rows, cols, inner);
    cudaMemcpy(host, out, sizeof(host), cudaMemcpyDeviceToHost);
    printf("%g\n", host[7]);
    return 0;
}
