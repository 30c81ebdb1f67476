#include <cstdio>
#include <vector>

__global__ void turned(const float *in, float *out, int rows, int cols)
{
    int col = blockIdx.x * 32 + threadIdx.x, row = blockIdx.y * 32 + threadIdx.y;
    out[col * rows + row] = in[row * cols + col];
}

int main()
{
    const int rows = 2048, cols = 1536;
    std::vector<float> in(rows * cols), out(rows * cols);
    for (int i = 0; i < rows * cols; i++) in[i] = i % 1009;
    float *from, *to;
    cudaMalloc(&from, in.size() * 4);
    cudaMalloc(&to, out.size() * 4);
    cudaMemcpy(from, in.data(), in.size() * 4, cudaMemcpyHostToDevice);
    turned<<<dim3(cols / 32, rows / 32), dim3(32, 32)>>>(from, to, rows, cols);
    cudaMemcpy(out.data(), to, out.size() * 4, cudaMemcpyDeviceToHost);
    double s = 0;
    for (int i = 0; i < rows * cols; i++) s += out[i] * (i % 13);
    printf("%.0f\n", s);
}
