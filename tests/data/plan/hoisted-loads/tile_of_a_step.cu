// kernel=spread line=14 finding=KO113
#include <cstdio>
#define T 128

__global__ void spread(float *heat, const float *rate, const float *loss, int n, int steps)
{
    __shared__ float line[T + 2];
    int i = blockIdx.x * T + threadIdx.x, t = threadIdx.x + 1;
    for (int step = 0; step < steps; step++) {
        line[t] = heat[step * n + i];
        if (threadIdx.x == 0) line[0] = i > 0 ? heat[step * n + i - 1] : line[t];
        if (threadIdx.x == T - 1) line[T + 1] = i < n - 1 ? heat[step * n + i + 1] : line[t];
        __syncthreads();
        heat[(step + 1) * n + i] = line[t] + rate[i] * (line[t - 1] - 2 * line[t] + line[t + 1]) - loss[blockIdx.x];
        __syncthreads();
    }
}

int main()
{
    int n = T, steps = 40;
    float *heat, *rate, *loss, h[T];
    cudaMalloc(&heat, (steps + 1) * n * sizeof(float));
    cudaMalloc(&rate, n * sizeof(float));
    cudaMalloc(&loss, sizeof(float));
    for (int i = 0; i < n; i++) h[i] = i % 11;
    cudaMemcpy(heat, h, sizeof(h), cudaMemcpyHostToDevice);
    for (int i = 0; i < n; i++) h[i] = 0.1f + 0.001f * i;
    cudaMemcpy(rate, h, sizeof(h), cudaMemcpyHostToDevice);
    cudaMemset(loss, 0, sizeof(float));
    spread<<<n / T, T>>>(heat, rate, loss, n, steps);
    cudaMemcpy(h, heat + steps * n, sizeof(h), cudaMemcpyDeviceToHost);
    printf("%f\n", h[3]);
}
