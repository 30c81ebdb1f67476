// kernel=twice line=15 finding=KO101
#include <cstdio>
#include <vector>


namespace ops {
__global__ void other(float *p, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) p[i] = -1.0f;
}

__global__ void twice(float *__restrict__ q, const float *__restrict__ p, int rows, int cols) {
    for (int r = blockIdx.x * blockDim.x + threadIdx.x; r < rows; r += gridDim.x * blockDim.x)
        for (int c = blockIdx.y * blockDim.y + threadIdx.y; c < cols; c += gridDim.y * blockDim.y)
            q[r * cols + c] = 2.0f * p[r * cols + c];
}
}  // namespace ops

void launch(dim3 grid, dim3 block, float *q, const float *p, int rows, int cols) {
    ops::other<<<40, 256>>>(q, rows * cols);
    ops::twice<<<grid, block, 0, 0>>>(q, p, rows, cols);
}

int main() {
    const int rows = 70, cols = 130;
    std::vector<float> h(rows * cols), r(rows * cols);
    for (int i = 0; i < rows * cols; i++) h[i] = float(i % 97);
    float *in, *out;
    cudaMalloc(&in, h.size() * sizeof(float));
    cudaMalloc(&out, h.size() * sizeof(float));
    cudaMemcpy(in, h.data(), h.size() * sizeof(float), cudaMemcpyHostToDevice);
    launch(dim3(3, 5), dim3(8, 8), out, in, rows, cols);
    cudaMemcpy(r.data(), out, h.size() * sizeof(float), cudaMemcpyDeviceToHost);
    int bad = 0;
    for (int i = 0; i < rows * cols; i++) bad += r[i] != 2.0f * h[i];
    printf("%s\n", bad ? "FAIL" : "PASS");
    return bad != 0;
}
