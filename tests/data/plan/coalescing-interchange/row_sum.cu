// kernel=row_sum line=11 finding=KO101
#include <cstdio>
#include <vector>


__global__ void row_sum(float *out, const float *in, int rows, int cols) {
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row < rows) {
        float s = 0;
        for (int c = 0; c < cols; c++) {
            s += in[row * cols + c];
            out[row * cols + c] = s;
        }
    }
}

int main() {
    const int rows = 70, cols = 130;
    std::vector<float> h(rows * cols, 1.0f), r(rows * cols);
    float *in, *out;
    cudaMalloc(&in, h.size() * 4);
    cudaMalloc(&out, h.size() * 4);
    cudaMemcpy(in, h.data(), h.size() * 4, cudaMemcpyHostToDevice);
    row_sum<<<2, 64>>>(out, in, rows, cols);
    cudaMemcpy(r.data(), out, h.size() * 4, cudaMemcpyDeviceToHost);
    int bad = 0;
    for (int i = 0; i < rows * cols; i++) bad += r[i] != float(i % cols + 1);
    printf("%s\n", bad ? "FAIL" : "PASS");
    return bad != 0;
}
