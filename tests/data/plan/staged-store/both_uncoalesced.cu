// kernel=copy line=9 finding=KO101
#include <cstdio>
#include <vector>


__global__ void copy(float *out, const float *in, int rows, int cols) {
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    int col = blockIdx.y * blockDim.y + threadIdx.y;
    if (row < rows && col < cols) out[row * cols + col] = in[row * cols + col];
}

int main() {
    const int rows = 70, cols = 130;
    std::vector<float> h(rows * cols), r(rows * cols);
    for (int i = 0; i < rows * cols; i++) h[i] = i;
    float *in, *out;
    cudaMalloc(&in, h.size() * 4);
    cudaMalloc(&out, h.size() * 4);
    cudaMemcpy(in, h.data(), h.size() * 4, cudaMemcpyHostToDevice);
    copy<<<dim3((rows + 15) / 16, (cols + 15) / 16), dim3(16, 16)>>>(out, in, rows, cols);
    cudaMemcpy(r.data(), out, h.size() * 4, cudaMemcpyDeviceToHost);
    printf("%s\n", r == h ? "PASS" : "FAIL");
    return r != h;
}
