// Each row of a matrix is divided by the square root of the sum of its squares.
#include <cmath>
#include <cstdio>
#include <vector>

__global__ void scale_rows(const float* in, float* out, int rows, int columns)
{
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= rows) return;
    float sum = 0.0f;
    for (int c = 0; c < columns; ++c) {
        float v = in[row * columns + c];
        sum += v * v;
    }
    for (int c = 0; c < columns; ++c)
        out[row * columns + c] = in[row * columns + c] / sqrtf(sum + 1e-6f);
}

int main()
{
    const int rows = 512, columns = 128;
    std::vector<float> host(rows * columns);
    for (int i = 0; i < rows * columns; ++i) host[i] = float(i % 37) * 0.25f - 4.0f;
    float *in, *out;
    cudaMalloc(&in, host.size() * sizeof(float));
    cudaMalloc(&out, host.size() * sizeof(float));
    cudaMemcpy(in, host.data(), host.size() * sizeof(float), cudaMemcpyHostToDevice);
    scale_rows<<<(rows + 127) / 128, 128>>>(in, out, rows, columns);
    cudaMemcpy(host.data(), out, host.size() * sizeof(float), cudaMemcpyDeviceToHost);
    double total = 0.0;
    for (float v : host) total += v;
    printf("%f\n", total);
    return 0;
}
