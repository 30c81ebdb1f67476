#include <cstdio>
#include <vector>

__global__ void rows(float *out, const float *in, int n)
{
    int y = blockIdx.x;
    if (threadIdx.x == 0) {
        float s = 0.f;
        for (int x = 0; x < n; x++) s += in[y * n + x];
        out[y] = s;
    }
}

__global__ void columns(float *out, const float *in, int n)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    float s = 0.f;
    for (int y = 0; y < n; y++) s += in[y * n + x];
    out[x] = s;
}

void sums(float *by_row, float *by_column, const float *in, int n)
{
    rows<<<n, 32>>>(by_row, in, n);
    columns<<<n / 32, 32>>>(by_column, in, n);
}

int main()
{
    const int n = 128;
    std::vector<float> h(n * n), r(n), c(n);
    for (int i = 0; i < n * n; i++) h[i] = (i * 11 % 127) / 64.0f;
    float *in, *by_row, *by_column;
    cudaMalloc(&in, n * n * 4);
    cudaMalloc(&by_row, n * 4);
    cudaMalloc(&by_column, n * 4);
    cudaMemcpy(in, h.data(), n * n * 4, cudaMemcpyHostToDevice);
    sums(by_row, by_column, in, n);
    cudaMemcpy(r.data(), by_row, n * 4, cudaMemcpyDeviceToHost);
    cudaMemcpy(c.data(), by_column, n * 4, cudaMemcpyDeviceToHost);
    float s = 0;
    for (int i = 0; i < n; i++) s += r[i] * (i % 3) + c[i] * (i % 5);
    printf("%.2f\n", s);
}
