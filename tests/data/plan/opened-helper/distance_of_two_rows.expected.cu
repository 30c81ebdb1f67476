// kernel=all_pairs line=10 finding=KO111 technique=loop-to-threads
#include <cmath>
#include <cstdio>
#include <vector>

__global__ void all_pairs(const float *data, float *out, int n, int dims)
{
    int i = blockIdx.y * blockDim.y + threadIdx.y;
    int j = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n || j >= n)
        return;
    float sum = 0.0f;
    int d = 0;
    for (d = 0; d < dims; d++)
    {
        float diff = data[i * dims + d] - data[j * dims + d];
        sum += diff * diff;
    }
    out[i * n + j] = sqrtf(sum);
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
    all_pairs<<<dim3((n + 15) / 16, (n + 15) / 16), dim3(16, 16)>>>(d_data, d_out, n, dims);
    cudaMemcpy(out.data(), d_out, out.size() * sizeof(float), cudaMemcpyDeviceToHost);
    double sum = 0;
    for (float v : out)
        sum += v;
    printf("%.3f\n", sum);
    return 0;
}
