// kernel=ramp line=10 finding=KO101
#include <cstdio>
#include <vector>


__global__ void ramp(float *out, int rows, int cols) {
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row < rows)
        for (int c = 0; c < cols; c++)
            out[row * cols + c] = float(row);
}

int main() {
    const int rows = 70, cols = 130;
    std::vector<float> r(rows * cols);
    float *out;
    cudaMalloc(&out, r.size() * 4);
    ramp<<<2, 64>>>(out, rows, cols);
    cudaMemcpy(r.data(), out, r.size() * 4, cudaMemcpyDeviceToHost);
    int bad = 0;
    for (int i = 0; i < rows * cols; i++) bad += r[i] != float(i / cols);
    printf("%s\n", bad ? "FAIL" : "PASS");
    return bad != 0;
}
