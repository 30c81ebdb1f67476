// kernel=narrow line=6 finding=KO101
#include <cstdio>

__global__ void narrow(float *out, const float *in, int rows, int cols) {
    int r = blockIdx.x * blockDim.x + threadIdx.x, c = blockIdx.y;
    if (r < rows) out[r * cols + c] = in[r * cols + c] * 0.5f;
}

int main() {
    const int rows = 256, cols = 128;
    float *in, *out;
    cudaMallocManaged(&in, rows * cols * 4);
    cudaMallocManaged(&out, rows * cols * 4);
    for (int i = 0; i < rows * cols; i++) in[i] = i;
    narrow<<<dim3(1, cols), 256>>>(out, in, rows, cols);
    cudaDeviceSynchronize();
    printf("%s\n", out[129] == 64.5f ? "PASS" : "FAIL");
    return out[129] != 64.5f;
}
