// kernel=double_rows line=11 finding=KO101
#include <cstdio>
#include <vector>


__global__ void double_rows(float *out, const float *in, const int *active, int rows, int cols) {
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= rows) return;
    if (active[row])
        for (int c = 0; c < cols; ++c)
            out[row * cols + c] = 2.0f * in[row * cols + c];
}

int main() {
    const int rows = 70, cols = 130;
    std::vector<float> h(rows * cols), r(rows * cols);
    for (int i = 0; i < rows * cols; i++) h[i] = float(i % 97);
    float *in, *out;
    cudaMalloc(&in, h.size() * sizeof(float));
    cudaMalloc(&out, h.size() * sizeof(float));
    cudaMemcpy(in, h.data(), h.size() * sizeof(float), cudaMemcpyHostToDevice);
    std::vector<int> ones(rows, 1);
    int *active;
    cudaMalloc(&active, rows * sizeof(int));
    cudaMemcpy(active, ones.data(), rows * sizeof(int), cudaMemcpyHostToDevice);
    double_rows<<<(rows + 63) / 64, 64>>>(out, in, active, rows, cols);
    cudaMemcpy(r.data(), out, h.size() * sizeof(float), cudaMemcpyDeviceToHost);
    int bad = 0;
    for (int i = 0; i < rows * cols; i++) bad += r[i] != 2.0f * h[i];
    printf("%s\n", bad ? "FAIL" : "PASS");
    return bad != 0;
}
