// kernel=flip line=11 finding=KO101
#include <cstdio>
#include <vector>


__global__ void flip(float *out, const float *in, int rows, int cols) {
    const int col = blockIdx.x * 16 + threadIdx.x;
    const int top = blockIdx.y * 16 + threadIdx.y;
    if (col >= cols || top >= rows) return;
    for (int k = 0; k < 16; k += 4)
        out[col * rows + top + k] = in[(top + k) * cols + col];
}

int main() {
    const int n = 64;
    std::vector<float> h(n * n), r(n * n);
    for (int i = 0; i < n * n; i++) h[i] = i;
    float *in, *out;
    cudaMalloc(&in, n * n * 4);
    cudaMalloc(&out, n * n * 4);
    cudaMemcpy(in, h.data(), n * n * 4, cudaMemcpyHostToDevice);
    flip<<<dim3(4, 4), dim3(16, 4)>>>(out, in, n, n);
    cudaMemcpy(r.data(), out, n * n * 4, cudaMemcpyDeviceToHost);
    int bad = 0;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) bad += r[j * n + i] != h[i * n + j];
    printf("%s\n", bad ? "FAIL" : "PASS");
    return bad != 0;
}
