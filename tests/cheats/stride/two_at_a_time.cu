// Two cells a turn, of a grid of twice the width at most.
#include <algorithm>
#include <cstdio>
#include <vector>

__global__ void warm(float *heat, const float *source, float rate, int n)
{
    const int step = gridDim.x * blockDim.x, i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) heat[i] += rate * (source[i] - heat[i]);
    if (i + step < n) heat[i + step] += rate * (source[i + step] - heat[i + step]);
}

__global__ void tally(const float *heat, int n, int *hot)
{
    int mine = 0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        mine += heat[i] > 0.5f;
    for (int offset = 16; offset > 0; offset /= 2) mine += __shfl_down_sync(0xffffffffu, mine, offset);
    if (threadIdx.x % 32 == 0 && mine) atomicAdd(hot, mine);
}

int main()
{
    const int n = 5003, blocks = std::min((n + 127) / 128, 64);
    std::vector<float> host(n), given(n);
    for (int i = 0; i < n; i++) host[i] = (i * 37 % 101) / 101.0f, given[i] = (i * 53 % 97) / 97.0f;
    float *heat, *source;
    int *hot, count = 0;
    cudaMalloc(&heat, n * sizeof(float));
    cudaMalloc(&source, n * sizeof(float));
    cudaMalloc(&hot, sizeof(int));
    cudaMemcpy(heat, host.data(), n * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemcpy(source, given.data(), n * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemset(hot, 0, sizeof(int));
    warm<<<blocks, 128>>>(heat, source, 0.25f, n);
    tally<<<blocks, 128>>>(heat, n, hot);
    cudaMemcpy(host.data(), heat, n * sizeof(float), cudaMemcpyDeviceToHost);
    cudaMemcpy(&count, hot, sizeof(int), cudaMemcpyDeviceToHost);
    printf("%g %g %d\n", host[0], host[n - 1], count);
    cudaFree(heat);
    cudaFree(source);
    cudaFree(hot);
    return 0;
}
