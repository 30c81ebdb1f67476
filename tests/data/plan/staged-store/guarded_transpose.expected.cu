// kernel=transpose line=12 finding=KO101
#include <cstdio>
#include <vector>


// out = in^T
__global__ void transpose(float *out, const float *in, int rows, int cols) {
    __shared__ float tile[32][32 + 1];
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;

    if (x < cols && y < rows) {
        tile[threadIdx.y][threadIdx.x] = in[y * cols + x];  // column by column
    }
    __syncthreads();
    int x_out = blockIdx.x * blockDim.x + threadIdx.y;
    int y_out = blockIdx.y * blockDim.y + threadIdx.x;
    if (x_out < cols && y_out < rows)
        out[x_out * rows + y_out] = tile[threadIdx.x][threadIdx.y];
}

int main() {
    const int rows = 70, cols = 130;
    std::vector<float> h(rows * cols), r(rows * cols);
    for (int i = 0; i < rows * cols; i++) h[i] = i % 1000;
    float *in, *out;
    cudaMalloc(&in, h.size() * sizeof(*in));
    cudaMalloc(&out, h.size() * sizeof(*out));
    cudaMemcpy(in, h.data(), h.size() * sizeof(*in), cudaMemcpyHostToDevice);
    dim3 block(32, 32);
    dim3 grid((cols + 31) / 32, (rows + 31) / 32);
    transpose<<<grid, block>>>(out, in, rows, cols);
    cudaMemcpy(r.data(), out, h.size() * sizeof(*out), cudaMemcpyDeviceToHost);
    int bad = 0;
    for (int i = 0; i < rows; i++)
        for (int j = 0; j < cols; j++) bad += r[j * rows + i] != h[i * cols + j];
    printf("%s\n", bad ? "FAIL" : "PASS");
    return bad != 0;
}
