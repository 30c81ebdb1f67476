// kernel=flip line=11 finding=KO101
#include <cstdio>
#include <vector>


__global__ void flip(float *out, const float *in, int rows, int cols) {
    const int col = blockIdx.x * 16 + threadIdx.x;
    const int top = blockIdx.y * 16 + threadIdx.y;
    for (int k = 0; k < 16; k += 4) {
        if (col >= cols || top + k >= rows) continue;
        out[col * rows + top + k] = in[(top + k) * cols + col];
    }
}

int main() {
    const int rows = 70, cols = 130;
    std::vector<float> h(rows * cols), r(rows * cols);
    for (int i = 0; i < rows * cols; i++) h[i] = i % 1000;
    float *in, *out;
    cudaMalloc(&in, h.size() * sizeof(*in));
    cudaMalloc(&out, h.size() * sizeof(*out));
    cudaMemcpy(in, h.data(), h.size() * sizeof(*in), cudaMemcpyHostToDevice);
    flip<<<dim3((cols + 15) / 16, (rows + 15) / 16), dim3(16, 4)>>>(out, in, rows, cols);
    cudaMemcpy(r.data(), out, h.size() * sizeof(*out), cudaMemcpyDeviceToHost);
    int bad = 0;
    for (int i = 0; i < rows; i++)
        for (int j = 0; j < cols; j++) bad += r[j * rows + i] != h[i * cols + j];
    printf("%s\n", bad ? "FAIL" : "PASS");
    return bad != 0;
}
