// kernel=settle line=12 finding=KO120
#include <cstdio>
#include <cstdlib>

__global__ void settle(const float *rain, float *level, int columns, int hours)
{
    const int c = blockIdx.x * blockDim.x + threadIdx.x;
    if (c < columns)
    {
        level[c] = rain[c];
        float level_last = level[c];
        for (int t = 1; t < hours; t++)
        {
            level_last = rain[t * columns + c] + 0.75f * level_last;
            level[t * columns + c] = level_last;
        }
    }
}

int main()
{
    const int columns = 80, hours = 48, n = columns * hours;
    float *host = (float *)malloc(n * sizeof(float)), *rain, *level;
    for (int i = 0; i < n; i++)
    {
        host[i] = i % 7 * 0.5f;
    }
    cudaMalloc(&rain, n * sizeof(float));
    cudaMalloc(&level, n * sizeof(float));
    cudaMemcpy(rain, host, n * sizeof(float), cudaMemcpyHostToDevice);
    settle<<<(columns + 31) / 32, 32>>>(rain, level, columns, hours);
    cudaMemcpy(host, level, n * sizeof(float), cudaMemcpyDeviceToHost);
    printf("%f\n", host[n - 1]);
    return 0;
}
