// kernel=all_pairs line=10 finding=KO111 technique=loop-to-threads
#include <cmath>
#include <cstdio>
#include <vector>

__device__ float distance(const float *data, int a, int b, int dims)
{
    float sum = 0.0f;
    int d = 0;
    for (d = 0; d < dims; d++)
    {
        float diff = data[a * dims + d] - data[b * dims + d];
        sum += diff * diff;
    }
    return sqrtf(sum);
}

__global__ void all_pairs(const float *data, float *out, int n, int dims)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    for (int j = 0; j < n; j++)
        out[i * n + j] = distance(data, i, j, dims);
}

int main()
{
    const int n = 220, dims = 12;
    std::vector<float> data(n * dims), out(n * n);
    for (int i = 0; i < n * dims; i++)
        data[i] = (i * 41 % 101) / 101.0f;
    float *d_data, *d_out;
    cudaMalloc(&d_data, data.size() * sizeof(float));
    cudaMalloc(&d_out, out.size() * sizeof(float));
    cudaMemcpy(d_data, data.data(), data.size() * sizeof(float), cudaMemcpyHostToDevice);
    all_pairs<<<(n + 63) / 64, 64>>>(d_data, d_out, n, dims);
    cudaMemcpy(out.data(), d_out, out.size() * sizeof(float), cudaMemcpyDeviceToHost);
    double sum = 0;
    for (float v : out)
        sum += v;
    printf("%.3f\n", sum);
    return 0;
}
