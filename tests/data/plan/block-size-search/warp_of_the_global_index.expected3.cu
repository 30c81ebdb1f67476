// kernel=row_sums line=10 finding=KO105
#include <cstdio>
#include <vector>

__device__ float folded(float v) {
    for (int o = 16; o; o >>= 1) v += __shfl_down_sync(~0u, v, o);
    return v;
}

__global__ void row_sums(float *out, const float *in, unsigned rows, unsigned cols) {
    const unsigned thread = blockIdx.x * blockDim.x + threadIdx.x;
    const unsigned row = thread >> 5, lane = thread & 31;
    if (row >= rows) return;
    float sum = 0;
    for (unsigned c = lane; c < cols; c += 32) sum += in[row * cols + c];
    sum = folded(sum);
    if (!lane) out[row] = sum;
}

int main() {
    const unsigned rows = 1003, cols = 70;
    std::vector<float> h(rows * cols), r(rows);
    for (unsigned i = 0; i < rows * cols; i++) h[i] = float(i % 17);
    float *in, *out;
    cudaMalloc(&in, h.size() * sizeof(float));
    cudaMalloc(&out, rows * sizeof(float));
    cudaMemcpy(in, h.data(), h.size() * sizeof(float), cudaMemcpyHostToDevice);
    row_sums<<<(rows * 32 + 511) / 512, 512>>>(out, in, rows, cols);
    cudaMemcpy(r.data(), out, rows * sizeof(float), cudaMemcpyDeviceToHost);
    int bad = 0;
    for (unsigned i = 0; i < rows; i++) {
        float sum = 0;
        for (unsigned c = 0; c < cols; c++) sum += h[i * cols + c];
        bad += r[i] != sum;
    }
    printf("%s\n", bad ? "FAIL" : "PASS");
    return bad != 0;
}
