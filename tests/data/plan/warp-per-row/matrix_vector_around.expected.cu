// kernel=matvec line=9 finding=KO101
#include <stdio.h>
#include <stdlib.h>

__global__ void matvec(const float *A, const float *x, float *y, int rows, int cols) {
    int i = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
    const int lane = threadIdx.x % 32;
    if (i < rows) {
        float sum = 0.0f;
        for (int j = lane; j < cols; j += 32) {
            sum += A[i * cols + j] * x[j];
        }
        for (int offset = 16; offset > 0; offset /= 2)
            sum += __shfl_xor_sync(0xffffffff, sum, offset);
        if (lane == 0) y[i] = sum;
    }
}

int main() {
    int rows = 300, cols = 257;
    float *A, *x, *y;
    cudaMallocManaged(&A, rows * cols * sizeof(float));
    cudaMallocManaged(&x, cols * sizeof(float));
    cudaMallocManaged(&y, rows * sizeof(float));
    for (int i = 0; i < rows * cols; i++) A[i] = (i % 10) * 0.1f;
    for (int i = 0; i < cols; i++) x[i] = (i % 3) - 1.0f;
    matvec<<<(rows + 7) / 8, 256>>>(A, x, y, rows, cols);
    cudaDeviceSynchronize();
    float s = 0;
    for (int i = 0; i < rows; i++) s += y[i];
    printf("%.4f\n", s);
    return 0;
}
