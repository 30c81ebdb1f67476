// kernel=triple line=15 finding=KO112
#include <cstdio>
#include <vector>


__global__ void clear(float *p, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) p[i] = 0.0f;
}

__global__ void triple(float *out, const float *in, int rows, int cols) {
    const int x = blockIdx.x * blockDim.x + threadIdx.x;
    const int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= cols || y >= rows) return;
    out[y * cols + x] = 3.0f * in[y * cols + x];
}

int main() {
    const int n = 10007;
    std::vector<float> h(n), r(n);
    for (int i = 0; i < n; i++) h[i] = float(i);
    float *in, *out;
    cudaMalloc(&in, n * sizeof(float));
    cudaMalloc(&out, n * sizeof(float));
    cudaMemcpy(in, h.data(), n * sizeof(float), cudaMemcpyHostToDevice);
    const int rows = 1 + n / 100, cols = 100;
    clear<<<40, 256>>>(out, n);
    float *pin, *pout;
    cudaMalloc(&pin, rows * cols * sizeof(float));
    cudaMalloc(&pout, rows * cols * sizeof(float));
    cudaMemset(pin, 0, rows * cols * sizeof(float));
    cudaMemcpy(pin, in, n * sizeof(float), cudaMemcpyDeviceToDevice);
    dim3 block(16, 16);
    dim3 grid((cols + block.x - 1) / block.x, (rows + block.y - 1) / block.y);
    triple<<<grid, block>>>(pout, pin, rows, cols);
    cudaMemcpy(out, pout, n * sizeof(float), cudaMemcpyDeviceToDevice);
    cudaMemcpy(r.data(), out, n * sizeof(float), cudaMemcpyDeviceToHost);
    int bad = 0;
    for (int i = 0; i < n; i++) bad += r[i] != 3.0f * h[i];
    printf("%s\n", bad ? "FAIL" : "PASS");
    return bad != 0;
}
