// kernel=flip line=13 finding=KO101
#include <cstdio>
#include <vector>


// Transposes with 16 x 4 threads on tiles of 16 x 16, any matrix size.
__global__ void flip(float *out, const float *in, int rows, int cols) {
    __shared__ float tile[16][16 + 1];
    const int col = blockIdx.x * 16 + threadIdx.x;
    const int top = blockIdx.y * 16 + threadIdx.y;
    if (col < cols) {
        for (int k = 0; k < 16; k += 4) {
            const int row = top + k;
            if (row < rows) tile[threadIdx.y + k][threadIdx.x] = -in[row * cols + col];
        }
    }
    __syncthreads();
    for (int k = 0; k < 16; k += 4) {
        const int col_out = blockIdx.x * 16 + threadIdx.y + k;
        const int top_out = blockIdx.y * 16 + threadIdx.x;
        const int row_out = top_out;
        if (col_out < cols && row_out < rows)
            out[col_out * rows + row_out] = tile[threadIdx.x][threadIdx.y + k];
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
        for (int j = 0; j < cols; j++) bad += r[j * rows + i] != -h[i * cols + j];
    printf("%s\n", bad ? "FAIL" : "PASS");
    return bad != 0;
}
