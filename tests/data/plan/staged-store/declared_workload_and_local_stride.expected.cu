// kernel=gather_columns line=22 finding=KO101
#include <cstdio>
#include <vector>


/* kernelopt
[workload.columns]
kernel = "gather_columns"
args   = { out = "empty(rows*cols)", in = "randn(rows*cols)", rows = "rows", cols = "cols" }
grid   = ["ceil(cols/32)", "ceil(rows/32)"]
block  = [32, 32]
shapes = [{ rows = 128, cols = 96 }]
*/
__global__ void gather_columns(float *out, const float *in, int rows, int cols) {
    __shared__ float staged[32][32 + 1];
    const size_t x = blockIdx.x * blockDim.x + threadIdx.x;
    const size_t y = blockIdx.y * blockDim.y + threadIdx.y;
    float best = 0.0f;
    if (x < cols && y < rows) {
        for (int d = 0; d < 3; d++) best = fmaxf(best, in[y * cols + x]);
        staged[threadIdx.y][threadIdx.x] = best;
    }
    __syncthreads();
    const size_t x_out = blockIdx.x * blockDim.x + threadIdx.y;
    const size_t y_out = blockIdx.y * blockDim.y + threadIdx.x;
    const size_t stride_out = rows;
    const size_t to_out = x_out * stride_out + y_out;
    if (x_out < cols && y_out < rows)
        out[to_out] = staged[threadIdx.x][threadIdx.y];
}

int main() {
    const int rows = 70, cols = 130;
    std::vector<float> h(rows * cols), r(rows * cols);
    for (int i = 0; i < rows * cols; i++) h[i] = i % 1000;
    float *in, *out;
    cudaMalloc(&in, h.size() * sizeof(*in));
    cudaMalloc(&out, h.size() * sizeof(*out));
    cudaMemcpy(in, h.data(), h.size() * sizeof(*in), cudaMemcpyHostToDevice);
    const int tile = 32;
    gather_columns<<<dim3((cols + tile - 1) / tile, (rows + tile - 1) / tile), dim3(tile, tile)>>>(out, in, rows, cols);
    cudaMemcpy(r.data(), out, h.size() * sizeof(*out), cudaMemcpyDeviceToHost);
    int bad = 0;
    for (int i = 0; i < rows; i++)
        for (int j = 0; j < cols; j++) bad += r[j * rows + i] != h[i * cols + j];
    printf("%s\n", bad ? "FAIL" : "PASS");
    return bad != 0;
}
