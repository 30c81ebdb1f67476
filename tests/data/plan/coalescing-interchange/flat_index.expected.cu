// kernel=scale line=11 finding=KO101
#include <cstdio>
#include <vector>


// Doubles every element of a row-major matrix.
__global__ void scale(float* out, const float* in, int rows, int cols) {
    int row = blockIdx.y * blockDim.y + threadIdx.y;  // matrix row
    int col = blockIdx.x * blockDim.x + threadIdx.x;
    if (row < rows && col < cols) {
        out[row * cols + col] = 2.0f * in[row * cols + col];
    }
}

int main() {
    const int rows = 70, cols = 130;
    std::vector<float> h(rows * cols), r(rows * cols);
    for (int i = 0; i < rows * cols; i++) h[i] = float(i % 97);
    float *in, *out;
    cudaMalloc(&in, h.size() * sizeof(float));
    cudaMalloc(&out, h.size() * sizeof(float));
    cudaMemcpy(in, h.data(), h.size() * sizeof(float), cudaMemcpyHostToDevice);
    dim3 block(16, 16);
    dim3 grid((cols + 15) / 16, (rows + 15) / 16);
    scale<<<grid, block>>>(out, in, rows, cols);
    cudaMemcpy(r.data(), out, h.size() * sizeof(float), cudaMemcpyDeviceToHost);
    int bad = 0;
    for (int i = 0; i < rows * cols; i++) bad += r[i] != 2.0f * h[i];
    printf("%s\n", bad ? "FAIL" : "PASS");
    return bad != 0;
}
