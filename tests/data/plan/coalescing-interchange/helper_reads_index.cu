// kernel=scale line=10 finding=KO101
#include <cstdio>
#include <vector>


__device__ int my_row() { return blockIdx.x * blockDim.x + threadIdx.x; }

__global__ void scale(float *out, const float *in, int rows, int cols) {
    int col = blockIdx.y * blockDim.y + threadIdx.y;
    if (my_row() < rows && col < cols) out[my_row() * cols + col] = 2 * in[my_row() * cols + col];
}

int main() {
    const int rows = 70, cols = 130;
    std::vector<float> h(rows * cols), r(rows * cols);
    for (int i = 0; i < rows * cols; i++) h[i] = float(i % 97);
    float *in, *out;
    cudaMalloc(&in, h.size() * sizeof(float));
    cudaMalloc(&out, h.size() * sizeof(float));
    cudaMemcpy(in, h.data(), h.size() * sizeof(float), cudaMemcpyHostToDevice);
    scale<<<dim3((rows + 15) / 16, (cols + 15) / 16), dim3(16, 16)>>>(out, in, rows, cols);
    cudaMemcpy(r.data(), out, h.size() * sizeof(float), cudaMemcpyDeviceToHost);
    int bad = 0;
    for (int i = 0; i < rows * cols; i++) bad += r[i] != 2.0f * h[i];
    printf("%s\n", bad ? "FAIL" : "PASS");
    return bad != 0;
}
