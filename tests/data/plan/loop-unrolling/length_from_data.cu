// kernel=spmv line=8 finding=KO114
#include <cstdio>

__global__ void spmv(float *y, const float *values, const int *columns, const int *starts, const float *x, int rows) {
    int r = threadIdx.x;
    if (r < rows) {
        float sum = 0;
        for (int j = starts[r]; j < starts[r + 1]; ++j) sum += values[j] * x[columns[j]];
        y[r] = sum;
    }
}

int main() {
    float *y, *values, *x;
    int *columns, *starts;
    cudaMallocManaged(&y, 8 * sizeof(float));
    cudaMallocManaged(&x, 8 * sizeof(float));
    cudaMallocManaged(&values, 16 * sizeof(float));
    cudaMallocManaged(&columns, 16 * sizeof(int));
    cudaMallocManaged(&starts, 9 * sizeof(int));
    for (int i = 0; i < 16; ++i) { values[i] = 1; columns[i] = i % 8; }
    for (int i = 0; i < 9; ++i) { starts[i] = 2 * i; if (i < 8) x[i] = 2; }
    spmv<<<1, 8>>>(y, values, columns, starts, x, 8);
    cudaDeviceSynchronize();
    return puts(y[3] == 4 ? "PASS" : "FAIL"), 0;
}
