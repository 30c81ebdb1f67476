// decline: the loop carries a value from one iteration to the next
#include <cstdio>
#include <cstdlib>
__global__ void cumulate(const float* x, float* y, int rows, int cols) {
    int c = blockIdx.x * blockDim.x + threadIdx.x;
    if (c >= cols) return;
    float run = 0;
    for (int r = 0; r < rows; ++r) { run += x[r * cols + c]; y[r * cols + c] = run; }
}
__global__ void recur(float* y, int rows, int cols) {
    int c = blockIdx.x * blockDim.x + threadIdx.x;
    if (c >= cols) return;
    for (int r = 1; r < rows; ++r) y[r * cols + c] = 0.5f * y[(r - 1) * cols + c] + y[r * cols + c];
}
int main(int argc, char** argv) {
    int rows = argc > 1 ? atoi(argv[1]) : 60, cols = 100;
    float *x, *y; cudaMallocManaged(&x, rows * cols * 4); cudaMallocManaged(&y, rows * cols * 4);
    for (int i = 0; i < rows * cols; ++i) x[i] = i % 11;
    cumulate<<<2, 64>>>(x, y, rows, cols); recur<<<2, 64>>>(y, rows, cols);
    cudaDeviceSynchronize();
    double s = 0; for (int i = 0; i < rows * cols; ++i) s += y[i]; printf("%f\n", s);
}
