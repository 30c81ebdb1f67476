// kernel=moments line=14 finding=KO110
#include <cstdio>
#include <vector>

struct Moments { double first, second; float3 centre; unsigned int count; };

__global__ void moments(const float *x, int n, Moments *result)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    float v = x[i];
    if (v < 0) v = -v;
    atomicAdd(&result->first, v);
    atomicAdd(&result->second, v * v);
    atomicAdd(&result->centre.y, v);
    atomicAdd(&(*result).count, 1u);
}

int main()
{
    const int n = 20000;
    std::vector<float> h(n);
    for (int i = 0; i < n; i++) h[i] = (i * 31 % 97) * 0.25f - 12;
    float *x;
    Moments *result, m;
    cudaMalloc(&x, n * sizeof(float));
    cudaMalloc(&result, sizeof(Moments));
    cudaMemcpy(x, h.data(), n * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemset(result, 0, sizeof(Moments));
    moments<<<(n + 255) / 256, 256>>>(x, n, result);
    cudaMemcpy(&m, result, sizeof(Moments), cudaMemcpyDeviceToHost);
    printf("%.3f %.3f %.3f %u\n", m.first, m.second, m.centre.y, m.count);
    return 0;
}
