// kernel=scale line=15 finding=KO101
#include <cstdio>
#include <vector>


__global__ void clear(float *out, int rows, int cols) {
    int x = blockIdx.y * blockDim.y + threadIdx.y, y = blockIdx.x * blockDim.x + threadIdx.x;
    if (x < cols && y < rows) out[y * cols + x] = 0;
}

__global__ void scale(float *out, const float *in, int rows, int cols) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    int at = y * cols + x;
    if (x < cols && y < rows)
        out[at] = in[at] + in[at];
}

int main() {
    const int rows = 70, cols = 130;
    std::vector<float> h(rows * cols), r(rows * cols);
    for (int i = 0; i < rows * cols; i++) h[i] = float(i % 97);
    float *in, *out;
    cudaMalloc(&in, h.size() * sizeof(float));
    cudaMalloc(&out, h.size() * sizeof(float));
    cudaMemcpy(in, h.data(), h.size() * sizeof(float), cudaMemcpyHostToDevice);
    const dim3 block(8, 32);
    const dim3 grid((rows + block.x - 1) / block.x, (cols + block.y - 1) / block.y);
    clear<<<grid, block>>>(out, rows, cols);
    scale<<<dim3(grid.y, grid.x), dim3(block.y, block.x)>>>(out, in, rows, cols);
    cudaMemcpy(r.data(), out, h.size() * sizeof(float), cudaMemcpyDeviceToHost);
    int bad = 0;
    for (int i = 0; i < rows * cols; i++) bad += r[i] != 2.0f * h[i];
    printf("%s\n", bad ? "FAIL" : "PASS");
    return bad != 0;
}
