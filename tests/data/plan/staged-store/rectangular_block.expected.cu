// kernel=transpose line=9 finding=KO101
#include <cstdio>
#include <vector>


__global__ void transpose(float *out, const float *in, int rows, int cols) {
    __shared__ float tile[8][32 + 4];
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < cols && y < rows) tile[threadIdx.y][threadIdx.x] = in[y * cols + x];
    __syncthreads();
    int thread = threadIdx.y * 32 + threadIdx.x;
    int x_out = blockIdx.x * blockDim.x + thread / 8;
    int y_out = blockIdx.y * blockDim.y + thread % 8;
    if (x_out < cols && y_out < rows)
        out[x_out * rows + y_out] = tile[thread % 8][thread / 8];
}

int main() {
    const int rows = 70, cols = 130;
    std::vector<float> h(rows * cols), r(rows * cols);
    for (int i = 0; i < rows * cols; i++) h[i] = i % 1000;
    float *in, *out;
    cudaMalloc(&in, h.size() * sizeof(*in));
    cudaMalloc(&out, h.size() * sizeof(*out));
    cudaMemcpy(in, h.data(), h.size() * sizeof(*in), cudaMemcpyHostToDevice);
    transpose<<<dim3((cols + 31) / 32, (rows + 7) / 8), dim3(32, 8)>>>(out, in, rows, cols);
    cudaMemcpy(r.data(), out, h.size() * sizeof(*out), cudaMemcpyDeviceToHost);
    int bad = 0;
    for (int i = 0; i < rows; i++)
        for (int j = 0; j < cols; j++) bad += r[j * rows + i] != h[i * cols + j];
    printf("%s\n", bad ? "FAIL" : "PASS");
    return bad != 0;
}
