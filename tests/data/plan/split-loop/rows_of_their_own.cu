// kernel=matvec line=9 finding=KO111
#include <stdio.h>
#include <stdlib.h>

__global__ void matvec(const float *A, const float *x, float *y, int rows, int cols) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < rows) {
        float sum = 0.0f;
        for (int j = 0; j < cols; j++) {
            sum += A[i * cols + j] * x[j];
        }
        y[i] = sum;
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
    matvec<<<(rows + 255) / 256, 256>>>(A, x, y, rows, cols);
    cudaDeviceSynchronize();
    float s = 0;
    for (int i = 0; i < rows; i++) s += y[i];
    printf("%.4f\n", s);
    return 0;
}
