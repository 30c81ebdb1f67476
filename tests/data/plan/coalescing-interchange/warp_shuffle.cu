// kernel=scale line=9 finding=KO101
#include <cstdio>
#include <vector>


__global__ void scale(float *out, const float *in, int rows, int cols) {
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    int col = blockIdx.y * blockDim.y + threadIdx.y;
    float v = row < rows && col < cols ? in[row * cols + col] : 0.0f;
    float top = __shfl_sync(0xffffffffu, v, 0);
    if (row < rows && col < cols) out[row * cols + col] = v + v + 0.0f * top;
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
